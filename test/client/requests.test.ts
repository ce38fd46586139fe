// @module-tag mechanism
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ApiError, isApiError, readApiError } from '#client/api-error.ts'
import { buildRequest, type CallInput, parseRoute } from '#client/build-request.ts'
import type { CallOptions } from '#client/call-types.ts'
import { createPagedItems } from '#client/pages.ts'
import { parseEvents } from '#client/parse-events.ts'
import { createSignIn, readTokens, type Tokens } from '#client/sign-in.ts'
import { openSocket } from '#client/socket.ts'
import { followEvents, streamAnswer } from '#client/streams.ts'
import { wait } from '#client/wait.ts'

const origin = 'https://api.example.com'
const build = (line: string, input: CallInput, options: CallOptions & { background?: boolean } = {}) =>
  buildRequest(origin, parseRoute('a.b', line), input, options)

describe('the request of a call', () => {
  it.each([
    [
      'get /trees',
      { search: 'a b', skip: 0, team: null, tag: undefined, mine: false },
      '/trees?search=a+b&skip=0&mine=false',
      null,
    ],
    ['get /trees', {}, '/trees', null],
    ['delete /trees/{tree_id}', { tree_id: 'a/b' }, '/trees/a%2Fb', null],
    ['post /trees/{tree_id}/forks body', { tree_id: 7, name: 'x' }, '/trees/7/forks', '{"name":"x"}'],
  ])('of `%s` with %j is for %s', (line, input, path, body) => {
    const parts = build(line, input)
    expect([parts.method, parts.url, parts.body]).toEqual([
      line.split(' ')[0]?.toUpperCase(),
      `${origin}/api/v1${path}`,
      body,
    ])
    expect(parts.headers).toEqual({
      accept: 'application/json, */*',
      ...(body ? { 'content-type': 'application/json' } : {}),
    })
  })
  it.each(['', '.', '..', null, undefined])('needs the fields of its path: %j', (tree_id) => {
    expect(() => build('get /trees/{tree_id}', { tree_id })).toThrow(new TypeError('a.b needs tree_id'))
  })
  it('has a new key, or the key of the caller', () => {
    const keys = [build('post /trees body key', {}), build('post /trees body key', {})].map(
      ({ headers }) => headers['idempotency-key'],
    )
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(keys[0]).not.toBe(keys[1])
    expect(build('post /trees body key', {}, { idempotencyKey: 'k' }).headers['idempotency-key']).toBe('k')
    expect(build('post /trees body', {}, { idempotencyKey: 'k' }).headers).not.toHaveProperty(
      'idempotency-key',
    )
  })
  it('asks for a background task only if the caller does', () => {
    expect(build('post /x body', {}, { background: true }).headers.prefer).toBe('respond-async')
    expect(build('post /x body', {}, { background: false }).headers).not.toHaveProperty('prefer')
  })
  it('has a file as a form, with its name if there is one', async () => {
    const file = new Blob(['x'])
    const named = build('post /uploads file', { file, filename: 'a.png' })
    const unnamed = build('post /uploads file', { file })
    const [first, second] = [named, unnamed].map(({ body }) => ((body as FormData).get('file') as File).name)
    expect([first, second, named.headers['content-type'], named.url]).toEqual([
      'a.png',
      'blob',
      undefined,
      `${origin}/api/v1/uploads`,
    ])
    expect(build('post /uploads file body', { file: 'text' }).body).toBe('{"file":"text"}')
  })
})

describe('a failure that the service answered', () => {
  const read = (body: string, headers: Record<string, string> = {}) =>
    readApiError(new Response(body, { status: 409, headers }))
  it.each([
    ['{"detail":"d","code":"c"}', 'd', 'c'],
    ['{"error":"invalid_signature"}', 'The service answered 409', 'invalid_signature'],
    ['{"detail":7,"code":8}', 'The service answered 409', null],
    ['null', 'The service answered 409', null],
    ['"text"', 'The service answered 409', null],
    ['<html>', 'The service answered 409', null],
  ])('with the body %s has its detail and its code', async (body, message, code) => {
    const error = await read(body)
    expect([error.message, error.code, error.status, error.errors, isApiError(error)]).toEqual([
      message,
      code,
      409,
      [],
      true,
    ])
    expect(error).toMatchObject({ name: 'ApiError', requestId: null, retryAfterMs: null })
  })
  it('has the invalid fields and the id of the request', async () => {
    const error = await read('{"errors":[{"msg":"m"}]}', { 'x-request-id': 'r' })
    expect([error.errors, error.requestId, error.body]).toEqual([
      [{ msg: 'm' }],
      'r',
      { errors: [{ msg: 'm' }] },
    ])
    expect((await read('{"errors":"many"}')).errors).toEqual([])
    expect(isApiError(new Error('x'))).toBe(false)
  })
  it.each([
    ['3', 3000],
    ['soon', null],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])('waits for the Retry-After %s: %j ms', async (value, ms) => {
    expect((await read('{}', { 'retry-after': value })).retryAfterMs).toBe(ms)
  })
})

describe('the pages of a list', () => {
  const load = (pages: Record<string, [number[], string?]>) => async (url: string) => {
    const [items, link] = pages[url] ?? [[]]
    return Response.json(items, link === undefined ? {} : { headers: { link } })
  }
  it('end at one without a link to the next', async () => {
    const pages = createPagedItems<number>(
      `${origin}/x?a=1`,
      load({
        [`${origin}/x?a=1`]: [[1, 2], '<https://evil.example/y?skip=2>; rel="next"'],
        [`${origin}/x?skip=2`]: [[3], '<?skip=0>; rel="prev"'],
      }),
    )
    const items: number[] = []
    for await (const item of pages) items.push(item)
    expect([items, await pages]).toEqual([
      [1, 2, 3],
      [1, 2],
    ])
  })
})

describe('the events of a response', () => {
  const collect = async (text: string) => {
    const state = { lastEventId: 'old', retryMs: 3000 }
    const events = []
    for await (const event of parseEvents(new Response(text), state)) events.push(event)
    return { events, state }
  }
  it.each([
    ['data: 1\n\n', [{ id: 'old', event: 'message', data: 1 }], 'old', 3000],
    [
      'id: 7\nevent: a\ndata: {"x":1}\n\ndata\n\n',
      [
        { id: '7', event: 'a', data: { x: 1 } },
        { id: '7', event: 'message', data: '' },
      ],
      '7',
      3000,
    ],
    ['id: a\0b\nevent: a\n\ndata: x\n\n', [{ id: 'old', event: 'message', data: 'x' }], 'old', 3000],
    ['id\nretry: 50\nretry: soon\n\n', [], '', 50],
    [
      ': comment\ndata:  two\ndata:lines\n\ndata: unfinished\n',
      [{ id: 'old', event: 'message', data: ' two\nlines' }],
      'old',
      3000,
    ],
  ])('%j are %j', async (text, events, lastEventId, retryMs) => {
    expect(await collect(text)).toEqual({ events, state: { lastEventId, retryMs } })
  })
  it('are none without a body', async () => {
    const state = { lastEventId: '', retryMs: 1 }
    expect((await parseEvents(new Response(null), state).next()).done).toBe(true)
  })
})

describe('an answer that is written in parts', () => {
  const stream = (text: string) => streamAnswer(build('get /x', {}), async () => new Response(text))
  it.each([
    [
      'event: error\ndata: {"status":409,"detail":"d","code":"c"}\n\n',
      { status: 409, message: 'd', code: 'c' },
    ],
    ['event: error\ndata: {"detail":"d"}\n\n', { status: 500, message: 'd', code: null }],
    ['event: error\ndata: text\n\n', { status: 500, message: 'The service answered 500' }],
    ['event: error\ndata: null\n\n', { status: 500, message: 'The service answered 500' }],
  ])('fails with %j', async (text, expected) => {
    await expect(stream(text).next()).rejects.toMatchObject(expected)
  })
  it('asks for events', async () => {
    const accepted: (string | undefined)[] = []
    await streamAnswer(build('get /x', {}), async ({ headers }) => {
      accepted.push(headers.accept, headers['last-event-id'])
      return new Response('')
    }).next()
    expect(accepted).toEqual(['text/event-stream', undefined])
  })
})

describe('a stream that never ends', () => {
  it.each([
    [429, [3000, 6000, 12_000], 403],
    [500, [3000, 6000, 12_000], 403],
    [404, [3000], 404],
  ])(
    'after a connection that is refused with %i waits %j ms and ends with %i',
    async (status, expectedWaits, lastStatus) => {
      const waits: number[] = []
      let calls = 0
      const load = async () => {
        calls++
        if (calls === 1) return new Response('data: 1\n\n')
        throw new ApiError(calls < 4 ? status : 403, {})
      }
      const events = followEvents(build('get /x', {}), { load, wait: async (ms) => void waits.push(ms) })
      expect((await events.next()).value).toEqual({ id: '', event: 'message', data: 1 })
      await expect(events.next()).rejects.toMatchObject({ status: lastStatus })
      expect(waits).toEqual(expectedWaits)
    },
  )
  it('waits at most a minute, unless the service asks for more', async () => {
    const waitsAfter = async (retryMs: number) => {
      const waits: number[] = []
      let calls = 0
      const load = async () => {
        calls++
        if (calls === 1) return new Response(`retry: ${retryMs}\ndata: 1\n\n`)
        throw new ApiError(calls < 4 ? 503 : 403, {})
      }
      const events = followEvents(build('get /x', {}), { load, wait: async (ms) => void waits.push(ms) })
      await events.next()
      await events.next().catch(() => {})
      return waits
    }
    expect(await waitsAfter(25_000)).toEqual([25_000, 50_000, 60_000])
    expect(await waitsAfter(70_000)).toEqual([70_000, 70_000, 70_000])
  })
})

describe('the tokens of a sign-in', () => {
  const toToken = (claims: object) =>
    `h.${btoa(JSON.stringify(claims)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}.s`
  const toTokens = (name: string, claims: object = { sid: 's', exp: 4_000_000_000 }): Tokens => ({
    access_token: toToken(claims),
    refresh_token: name,
  })
  function open(
    tokens: Tokens | null,
    {
      exchange = async () => toTokens('new'),
      stored,
    }: { exchange?: () => Promise<Tokens>; stored?: () => Tokens | null } = {},
  ) {
    const changes: (string | null)[] = []
    const waits: number[] = []
    const onTokens = (next: Tokens | null) => void changes.push(next?.refresh_token ?? null)
    const signIn = createSignIn({
      tokens,
      exchange,
      onTokens,
      loadTokens: stored,
      wait: async (ms) => void waits.push(ms),
    })
    return { signIn, changes, waits }
  }
  it.each([
    [{ exp: 1 }, ['new']],
    [{ exp: 4_000_000_000 }, []],
    [{}, []],
  ])('are refreshed before a socket opens if they have expired: %j', async (claims, changes) => {
    const opened = open(toTokens('old', claims))
    const token = await opened.signIn.getFresh()
    expect([token === opened.signIn.get()?.access_token, opened.changes]).toEqual([true, changes])
  })
  it('are none for a caller without any', async () => {
    expect(await open(null).signIn.getFresh()).toBeUndefined()
    expect(await open({ access_token: 'no token', refresh_token: 'r' }).signIn.getFresh()).toBe('no token')
  })
  it.each([
    [new ApiError(401, {}), [null], false],
    [new ApiError(500, {}), [], 'kept'],
    [new Error('offline'), [], 'kept'],
  ])('end only when the service refuses them: %s', async (error, changes, outcome) => {
    const old = toTokens('old')
    const { signIn, changes: changed, waits } = open(old, { exchange: () => Promise.reject(error) })
    const result = await signIn.refresh(old).catch(() => 'kept')
    expect([result, changed, waits]).toEqual([outcome, changes, []])
  })
  it('are those of another tab if they are of the same sign-in', async () => {
    const old = toTokens('old')
    const refreshWith = async (stored: Tokens | null) => {
      const { signIn, changes, waits } = open(old, {
        stored: () => stored,
        exchange: () => Promise.reject(new ApiError(401, {})),
      })
      vi.stubGlobal('navigator', {})
      onTestFinished(() => void vi.unstubAllGlobals())
      return [await signIn.refresh(old), signIn.get()?.refresh_token, changes, waits]
    }
    expect(await refreshWith(toTokens('theirs'))).toEqual([true, 'theirs', [], []])
    expect(await refreshWith(toTokens('theirs', { sid: 'other' }))).toEqual([
      false,
      undefined,
      [null],
      [1000],
    ])
    expect(await refreshWith(toTokens('old'))).toEqual([false, undefined, [null], [1000]])
    expect(await refreshWith(null)).toEqual([false, undefined, [null], [1000]])
  })
  it('stay when the caller has already replaced them', async () => {
    const old = toTokens('old')
    const { signIn, changes } = open(old)
    expect([await signIn.refresh(toTokens('older')), changes]).toEqual([true, []])
    const refreshed = signIn.refresh(old)
    signIn.set(toTokens('mine'))
    expect([await refreshed, signIn.get()?.refresh_token, changes]).toEqual([true, 'mine', ['mine']])
  })
  it('of tokens without a sign-in are of no other tab', async () => {
    const old = toTokens('old', {})
    const { signIn } = open(old, { stored: () => toTokens('theirs', {}) })
    await signIn.refresh(old)
    expect(signIn.get()?.refresh_token).toBe('new')
  })
  it.each([
    [
      { access_token: 'a', refresh_token: 'r', user: 1 },
      { access_token: 'a', refresh_token: 'r' },
    ],
    [{ access_token: 'a' }, null],
    [{ refresh_token: 'r' }, null],
    [null, null],
  ])('are read from the answer %j', (answer, tokens) => expect(readTokens(answer)).toEqual(tokens))
})

describe('a WebSocket of the client', () => {
  class FakeSocket {
    static last: FakeSocket
    onopen?: () => void
    onclose?: (event: { code: number }) => void
    onmessage?: (event: { data: string }) => void
    sent: string[] = []
    closes = 0
    readonly url: string
    readonly protocols: string[]
    constructor(url: URL, protocols: string[]) {
      this.url = String(url)
      this.protocols = protocols
      FakeSocket.last = this
    }
    send(text: string) {
      this.sent.push(text)
    }
    close() {
      this.closes++
    }
  }
  function open(lastEventId = '') {
    vi.stubGlobal('WebSocket', FakeSocket)
    onTestFinished(() => void vi.unstubAllGlobals())
    const state = { lastEventId, retryMs: 0 }
    const leaving = new AbortController()
    const opened = openSocket({ url: `${origin}/s?x=1`, token: 't', signal: leaving.signal }, state)
    return { state, opened, socket: FakeSocket.last, leaving }
  }
  it('connects from the last event, and passes on all but its own messages', async () => {
    const { state, opened, socket } = open('6')
    expect([socket.url, socket.protocols]).toEqual([
      'wss://api.example.com/s?x=1&last_event_id=6',
      ['support-flow', 'bearer.t'],
    ])
    socket.onopen?.()
    const events = ((await opened) as AsyncGenerator)[Symbol.asyncIterator]()
    for (const data of ['pong', '{"id":7,"event":"connected"}', '{"id":8,"event":"a","data":{"x":1}}'])
      socket.onmessage?.({ data })
    expect(await events.next()).toEqual({ done: false, value: { id: '8', event: 'a', data: { x: 1 } } })
    const last = events.next()
    socket.onclose?.({ code: 1000 })
    expect([(await last).done, state.lastEventId, socket.closes]).toEqual([true, '8', 1])
    expect(state.retryMs >= 2000 && state.retryMs <= 5000).toBe(true)
  })
  it.each([
    [4401, { status: 401, message: 'The sign-in has ended' }],
    [4409, { value: { id: '', event: 'replaced', data: {} } }],
    [1006, { done: true }],
  ])('that closes with %i ends the events with %j', async (code, expected) => {
    const { opened, socket } = open()
    expect(socket.url).toBe('wss://api.example.com/s?x=1')
    socket.onopen?.()
    const events = ((await opened) as AsyncGenerator)[Symbol.asyncIterator]()
    socket.onclose?.({ code })
    expect(await events.next().catch((error: unknown) => error)).toMatchObject(expected)
  })
  it('that closes before it opens is none, and neither is one that cannot be created', async () => {
    const { opened, socket } = open()
    socket.onclose?.({ code: 1006 })
    expect(await opened).toBeNull()
    vi.stubGlobal('WebSocket', undefined)
    expect(
      await openSocket({ url: origin, token: 't', signal: undefined }, { lastEventId: '', retryMs: 0 }),
    ).toBeNull()
  })
  it('closes when the signal aborts, but not after it has closed', () => {
    const first = open()
    first.leaving.abort()
    const second = open()
    second.socket.onclose?.({ code: 1000 })
    second.leaving.abort()
    expect([first.socket.closes, second.socket.closes]).toEqual([1, 0])
  })
})

describe('wait', () => {
  it('resolves after the time, and rejects when the signal aborts', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const waited = wait(1000, new AbortController().signal)
    const leaving = new AbortController()
    const left = wait(1000, leaving.signal)
    leaving.abort(new Error('Left'))
    await expect(left).rejects.toThrow('Left')
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    await expect(waited).resolves.toBeUndefined()
    await expect(wait(1, AbortSignal.abort(new Error('Gone')))).rejects.toThrow('Gone')
  })
})
