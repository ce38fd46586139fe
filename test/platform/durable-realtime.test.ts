import { expect, it, onTestFinished, vi } from 'vitest'
import {
  createSocketResponse,
  durableRealtime,
  type HubNamespace,
  type SocketResponse,
} from '#platform/cloudflare/realtime.ts'

interface HubRequest {
  hub: unknown
  url: string
  init: RequestInit | undefined
}

/** Open the port to hubs that answer as the test says. */
function openHubs(answer: (request: HubRequest) => Promise<SocketResponse>) {
  const requests: HubRequest[] = []
  const namespace: HubNamespace = {
    idFromName: (name) => `hub of ${name}`,
    get: (hub) => ({
      fetch(url, init) {
        requests.push({ hub, url, init })
        return answer({ hub, url, init })
      },
    }),
  }
  return { realtime: durableRealtime(namespace), requests }
}

/** Create a response that records whether its body is cancelled. */
function createResponse(status: number) {
  let isCancelled = false
  const body = new ReadableStream({
    cancel() {
      isCancelled = true
    },
  })
  return { response: new Response(body, { status }), isCancelled: () => isCancelled }
}

const event = { key: 'k', event: 'handoff_created' as const, data: { n: 1 } }
const calls = {
  publish: (realtime: ReturnType<typeof durableRealtime>) => realtime.publish('a', [event]),
  broadcast: (realtime: ReturnType<typeof durableRealtime>) =>
    realtime.broadcast('a', [{ event: 'presence', data: {}, audience: null }]),
  forget: (realtime: ReturnType<typeof durableRealtime>) => realtime.forget('a'),
  erase: (realtime: ReturnType<typeof durableRealtime>) => realtime.forget('a', { isErased: true }),
  ping: (realtime: ReturnType<typeof durableRealtime>) => realtime.ping(),
}

it.each([
  ['publish', 'hub of a', 'https://hub/publish', 'POST', JSON.stringify([event])],
  [
    'broadcast',
    'hub of a',
    'https://hub/broadcast',
    'POST',
    '[{"event":"presence","data":{},"audience":null}]',
  ],
  ['forget', 'hub of a', 'https://hub/forget', 'POST', undefined],
  ['erase', 'hub of a', 'https://hub/erase', 'POST', undefined],
  ['ping', 'hub of ready', 'https://hub/', undefined, undefined],
] as const)('%s calls %s, and leaves its body unread', async (name, hub, url, method, body) => {
  const { response, isCancelled } = createResponse(200)
  const { realtime, requests } = openHubs(async () => response)
  await calls[name](realtime)
  expect(
    requests.map(({ init, ...request }) => ({ ...request, method: init?.method, body: init?.body })),
  ).toEqual([{ hub, url, method, body }])
  expect(isCancelled()).toBe(true)
})

it.each(['publish', 'broadcast', 'forget', 'erase', 'ping'] as const)(
  '%s fails when the hub fails',
  async (name) => {
    const { response, isCancelled } = createResponse(500)
    await expect(calls[name](openHubs(async () => response).realtime)).rejects.toThrow('The hub returned 500')
    expect(isCancelled()).toBe(true)
  },
)

it.each(['publish', 'broadcast'] as const)('%s calls no hub without events', async (name) => {
  const { realtime, requests } = openHubs(async () => new Response())
  await realtime[name]('a', [])
  expect(requests).toEqual([])
})

it.each([
  ['publish', 1000],
  ['broadcast', 1000],
  ['forget', 10_000],
] as const)('%s waits for a hub for %i ms', async (name, ms) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { realtime } = openHubs(() => new Promise(() => {}))
  let outcome = 'waits'
  calls[name](realtime).catch(() => {
    outcome = 'has failed'
  })
  await vi.advanceTimersByTimeAsync(ms - 1)
  expect(outcome).toBe('waits')
  await vi.advanceTimersByTimeAsync(1)
  expect(outcome).toBe('has failed')
})

it('a stream is the body of the hub, which gets the listener without the signal', async () => {
  const { realtime, requests } = openHubs(async () => new Response('retry: 2000\n\n'))
  const { signal } = new AbortController()
  const body = await realtime.subscribe('a', { userId: 'u', signInId: 's', lastEventId: '7', signal })
  expect(await new Response(body).text()).toBe('retry: 2000\n\n')
  expect(
    requests.map(({ url, init }) => [
      url,
      init?.method,
      init?.signal === signal,
      JSON.parse(String(init?.body)),
    ]),
  ).toEqual([
    ['https://hub/subscribe', 'POST', true, { accountId: 'a', userId: 'u', signInId: 's', lastEventId: '7' }],
  ])
})

const failing = (properties: object) => () =>
  Promise.reject(Object.assign(new Error('Durable Object reset because its code was updated.'), properties))
const openings = {
  stream: (realtime: ReturnType<typeof durableRealtime>) =>
    realtime.subscribe('a', {
      userId: 'u',
      signInId: 's',
      lastEventId: null,
      signal: new AbortController().signal,
    }),
  socket: async (realtime: ReturnType<typeof durableRealtime>) =>
    realtime.acceptSocket?.('a', { userId: 'u', signInId: 's', lastEventId: null }),
}

it.each(['stream', 'socket'] as const)(
  'SSE-25 opens a %s through a new stub while the code of the hub is updated',
  async (name) => {
    const answers = [
      failing({ retryable: true }),
      async () => ({ status: 101, ok: true, webSocket: 'socket' }) as unknown as SocketResponse,
    ]
    const { realtime, requests } = openHubs(() => (answers.shift() ?? failing({}))())
    await openings[name](realtime)
    expect(requests).toHaveLength(2)
  },
)

it.each([
  ['stream', 'is overloaded', failing({ retryable: true, overloaded: true }), 1],
  ['stream', 'fails twice', failing({ retryable: true }), 2],
  ['stream', 'has an internal error', failing({}), 1],
  ['stream', 'answers 500', async () => new Response(null, { status: 500 }), 1],
  ['socket', 'is overloaded', failing({ retryable: true, overloaded: true }), 1],
  ['socket', 'refuses', async () => new Response(null, { status: 503 }), 1],
] as const)('SSE-25 a %s is 503 with Retry-After when the hub %s', async (name, _, answer, attempts) => {
  const { realtime, requests } = openHubs(answer)
  await expect(openings[name](realtime)).rejects.toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
  })
  expect(requests).toHaveLength(attempts)
})

it.each([
  ['7', '7'],
  [null, ''],
])('a socket after the event %j is that of the hub', async (lastEventId, sentId) => {
  // Node creates no response with the status 101.
  const answer = { status: 101, webSocket: 'socket' } as unknown as SocketResponse
  const { realtime, requests } = openHubs(async () => answer)
  await realtime.acceptSocket?.('a', { userId: 'u', signInId: 's', lastEventId })
  expect(requests).toEqual([
    {
      hub: 'hub of a',
      url: `https://hub/socket?accountId=a&userId=u&signInId=s&lastEventId=${sentId}`,
      init: { headers: { upgrade: 'websocket' } },
    },
  ])
})

it('a socket is opened with status 101 and the headers of the service', () => {
  const created: unknown[] = []
  class WorkerResponse {
    constructor(...values: unknown[]) {
      created.push(values)
    }
  }
  vi.stubGlobal('Response', WorkerResponse)
  onTestFinished(() => void vi.unstubAllGlobals())
  createSocketResponse('socket', { 'x-request-id': 'r' })
  expect(created).toEqual([[null, { status: 101, webSocket: 'socket', headers: { 'x-request-id': 'r' } }]])
})

it('a Worker without the binding fails, and says what is missing', async () => {
  await expect(durableRealtime(undefined).publish('a', [event])).rejects.toThrow(
    'The ESCALATION_HUB binding is missing',
  )
})
