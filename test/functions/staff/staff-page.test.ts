// @module-tag behaviour
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { writeSignIn, writeStatus } from '#functions/staff/html.ts'
import { mountStaffPage } from '#functions/staff/mount.ts'
import type { OperationsStatus } from '#functions/staff/status.ts'
import type { Env } from '#http/app.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const healthy: OperationsStatus = {
  dependencies: { database: 'ok', redis: 'in_process', mail: 'failed' },
  warnings: [],
  backlogs: [{ outbox: 'deliveries', open: 3, due: 1, oldest_due_seconds: 59.4 }],
  schedules: { due: 0, oldest_due_seconds: 0 },
  failing_webhooks: [],
  slow_statements: null,
  versions: { service: '1.2.3', migration: '0001_x.sql', postgresql: '18.4' },
}
const write = (changes: Partial<OperationsStatus>, message?: string) =>
  writeStatus({ ...healthy, ...changes }, { message, formToken: 'proof' })
/** Return the texts of the cells of the table with this first heading. */
const readTable = (html: string, heading: string) =>
  (new RegExp(`aria-label="${heading}">(.*?)</div>`, 's').exec(html)?.[1] ?? '')
    .match(/<td>.*?<\/td>/gs)
    ?.map((cell) => cell.replace(/<[^>]*>/g, '').trim())

describe('the page of the operations', () => {
  it('shows each dependency, the versions and the warnings', () => {
    const html = write({ warnings: ['Renew <it>'] })
    expect(readTable(html, 'Dependency')).toEqual([
      'database',
      'answers',
      'redis',
      'in this process',
      'mail',
      'does not answer',
    ])
    expect(html).toContain('Service 1.2.3, migration 0001_x.sql, PostgreSQL 18.4.')
    expect(html).toContain('<p role="alert">Renew &lt;it&gt;</p>')
    expect(write({})).not.toContain('role="alert"')
  })
  it('shows a message only if there is one', () => {
    expect(write({}, 'Done & <b>')).toContain('<p role="status">Done &amp; &lt;b&gt;</p>')
    expect(write({})).not.toContain('role="status"')
    expect(writeSignIn('Expired')).toContain('<p role="alert">Expired</p>')
    expect(writeSignIn()).not.toContain('role="alert"')
  })
  it.each([
    [59.4, '59 s'],
    [59.9, '60 s'],
    [60, '1 min'],
    [3599, '60 min'],
    [3600, '1 h'],
    [5400, '1.5 h'],
  ])('shows %s s as %s', (oldest_due_seconds, text) => {
    expect(
      readTable(
        write({ backlogs: [{ outbox: 'live_events', open: 3, due: 1, oldest_due_seconds }] }),
        'Kind',
      ),
    ).toEqual(['live_events', '3', '1', text, 'swept each minute'])
    expect(write({ schedules: { due: 2, oldest_due_seconds } })).toContain(
      `<p>2 due, the oldest for ${text}.</p>`,
    )
  })
  it('has a form for an outbox that can be replayed', () => {
    expect(write({})).toContain('<input type="hidden" name="token" value="proof">')
    expect(write({})).toContain(
      '<button name="outbox" value="deliveries" aria-label="Attempt now: deliveries">Attempt now</button>',
    )
    expect(write({})).toContain('<p>None is due.</p>')
  })
  it('shows why a webhook gets no messages', () => {
    const webhook = {
      webhook_id: 'w',
      account_id: 'a',
      failures: 2,
      failing_since: null,
      paused_until: null,
      disabled_reason: null,
    }
    const rows = [
      webhook,
      { ...webhook, failing_since: 'then', paused_until: 'later' },
      { ...webhook, paused_until: 'later', disabled_reason: 'gone' as const },
    ]
    expect(readTable(write({ failing_webhooks: rows }), 'Webhook')).toEqual([
      ...['w', 'a', '2', '', ''],
      ...['w', 'a', '2', 'then', 'paused until later'],
      ...['w', 'a', '2', '', 'gone'],
    ])
    expect(write({})).toContain('<h2>Failing webhooks</h2>\n    <p>None.</p>')
  })
  it('shows the slow statements, if they are known', () => {
    const statement = { query_id: '7', name: 'select <x>', calls: 2, mean_ms: 1.5, total_ms: 3 }
    expect(readTable(write({ slow_statements: [statement] }), 'Statement')).toEqual([
      'select &lt;x&gt;',
      '2',
      '1.5 ms',
      '3 ms',
      '7',
    ])
    expect(write({ slow_statements: [] })).toContain('<p>None yet.</p>')
    expect(write({})).toContain('<p>Not known: the database has no extension')
  })
})

describe('a request to the page of the operations', () => {
  const token = 'a.b.c'
  function open(answer: () => Response, baseUrl = 'https://api.example') {
    const requests: Request[] = []
    const dispatch = (request: Request) => {
      requests.push(request)
      return answer()
    }
    const config = {
      PUBLIC_BASE_URL: baseUrl,
      FRONTEND_URL: 'https://app.example',
      CORS_ORIGINS: ['https://desk.example'],
    }
    const app = new Hono<Env>()
    app.use((c, next) => {
      c.set('headers', {})
      return next()
    })
    mountStaffPage(app, createStubServices({ dispatch, config }))
    const execution = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
    const send = async (path: string, init: RequestInit = {}) => {
      const response = await app.fetch(new Request(`${baseUrl}/admin/operations${path}`, init), {}, execution)
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: baseUrl, ...headers },
      })
    return { requests, send, post }
  }
  const cookie = { cookie: `operations_token=${token}` }
  const ok = () => Response.json(healthy)
  const alert = (text: string) => /<p role="alert">(.*?)<\/p>/.exec(text)?.[1]

  it('asks the API for JSON, with the token of the cookie and without what concerns the page alone', async () => {
    const { requests, send } = open(ok)
    const { status, text } = await send('?replayed=pushes:3', {
      headers: { ...cookie, accept: 'text/html', 'user-agent': 'browser', origin: 'https://x.example' },
    })
    expect([status, requests[0]?.method, requests[0]?.url]).toEqual([
      200,
      'GET',
      'https://api.example/api/v1/admin/operations',
    ])
    expect(Object.fromEntries(requests[0]?.headers ?? [])).toEqual({
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'user-agent': 'browser',
    })
    expect(text).toContain('<p role="status">pushes: 3 rows are due now.</p>')
  })
  it.each(['replayed=pushes', 'replayed=pushes:123456', 'x=1'])('shows no message for ?%s', async (query) => {
    expect((await open(ok).send(`?${query}`, { headers: cookie })).text).not.toContain('role="status"')
  })
  it.each([
    [() => Response.json({ detail: 'Not allowed' }, { status: 403 }), 403, 'Not allowed'],
    [() => Response.json({ detail: 7 }, { status: 500 }), 500, 'The service did not answer.'],
    [() => new Response('no JSON', { status: 502 }), 502, 'The service did not answer.'],
    [() => Response.json({ other: 1 }), 200, 'The service did not answer.'],
    [() => Response.json(healthy, { status: 503 }), 503, 'The service did not answer.'],
  ])('shows the sign-in when the API refuses: %#', async (answer, expectedStatus, message) => {
    const { status, text } = await open(answer).send('', { headers: cookie })
    expect([status, alert(text)]).toEqual([expectedStatus, message])
  })
  it('shows the sign-in without a token, and asks nothing', async () => {
    const { requests, send } = open(ok)
    for (const headers of [
      undefined,
      { cookie: 'operations_token=a.b' },
      { cookie: `operations_token=${'a'.repeat(3997)}.b.c` },
    ]) {
      const { status, text } = await send('', { headers })
      expect([status, text.includes('name="access_token"'), alert(text)]).toEqual([200, true, undefined])
    }
    expect(requests).toEqual([])
    await send('', { headers: { cookie: `operations_token=${'a'.repeat(3996)}.b.c` } })
    expect(requests).toHaveLength(1)
  })
  it.each([
    [1_048_576, 409, 'The service did not answer.'],
    [1_048_577, 500, 'Internal error'],
  ])('reads an answer of %i bytes with the status %i', async (size, expectedStatus, message) => {
    const { requests, send, post } = open(() =>
      requests.length === 1 ? ok() : new Response('x'.repeat(size), { status: 409 }),
    )
    const formToken =
      /name="token" value="([^"]*)"/.exec((await send('', { headers: cookie })).text)?.[1] ?? ''
    const { status, text } = await post('/replay', { outbox: 'pushes', token: formToken }, cookie)
    expect([status, alert(text)]).toEqual([expectedStatus, message])
  })
  it('answers JSON to a program, also with an error', async () => {
    const { send } = open(() => Response.json({ detail: 'x' }, { status: 401 }))
    const { status, headers, text } = await send('', { headers: { accept: 'Application/JSON' } })
    expect([status, headers.get('content-type'), text]).toEqual([
      401,
      'application/json; charset=utf-8',
      '{"detail":"x"}',
    ])
  })
  it('has a style sheet that may be cached', async () => {
    const { status, headers } = await open(ok).send('/style.css')
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/css; charset=utf-8',
      'public, max-age=3600',
    ])
  })
  it('has a policy without scripts', async () => {
    const { headers } = await open(ok).send('')
    expect([headers.get('content-type'), headers.get('referrer-policy')]).toEqual([
      'text/html; charset=utf-8',
      'same-origin',
    ])
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
  })
  it.each([
    ['https://api.example', '; Secure'],
    ['http://127.0.0.1:8787', ''],
  ])('sets and removes the cookie at %s', async (baseUrl, secure) => {
    const { post } = open(ok, baseUrl)
    const signedIn = await post('/sign-in', { access_token: ` ${token} ` })
    const signedOut = await post('/sign-out', {})
    const toCookie = (value: string, seconds: number) =>
      `operations_token=${value}; Path=/admin/operations; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
    expect([signedIn.status, signedIn.headers.get('location'), signedIn.headers.get('set-cookie')]).toEqual([
      303,
      '/admin/operations',
      toCookie(token, 900),
    ])
    expect([
      signedOut.status,
      signedOut.headers.get('location'),
      signedOut.headers.get('set-cookie'),
    ]).toEqual([303, '/admin/operations', toCookie('', 0)])
  })
  it.each([
    ['https://app.example', 303],
    ['https://desk.example', 303],
    ['https://evil.example', 403],
    ['', 403],
  ])('accepts a form from %j with %i', async (origin, status) => {
    expect((await open(ok).post('/sign-in', { access_token: token }, { origin })).status).toBe(status)
  })
  it.each([
    [{ access_token: 'no token' }, 422, 'This is not an access token.'],
    [{}, 422, 'This is not an access token.'],
    [{ access_token: 'x'.repeat(9000) }, 413, 'The body is too large'],
  ])('refuses the form %#', async (fields, expectedStatus, message) => {
    const { status, text } = await open(ok).post('/sign-in', fields as Record<string, string>)
    expect([status, alert(text)]).toEqual([expectedStatus, message])
  })
  it('replays an outbox with the token of the form', async () => {
    const { requests, send, post } = open(() => Response.json(requests.length === 1 ? healthy : { rows: 5 }))
    const formToken =
      /name="token" value="([^"]*)"/.exec((await send('', { headers: cookie })).text)?.[1] ?? ''
    const { status, headers } = await post('/replay', { outbox: 'pushes', token: formToken }, cookie)
    expect([status, headers.get('location')]).toEqual([303, '/admin/operations?replayed=pushes:5'])
    const [, request] = requests
    expect([
      request?.method,
      request?.url,
      request?.headers.get('content-type'),
      await request?.text(),
    ]).toEqual([
      ...[
        'POST',
        'https://api.example/api/v1/admin/operations/replay',
        'application/json',
        '{"outbox":"pushes"}',
      ],
    ])
    const refusals = [
      await post('/replay', { outbox: 'users', token: formToken }, cookie),
      await post('/replay', { outbox: 'pushes', token: 'x' }, cookie),
      await post('/replay', { outbox: 'pushes', token: formToken }),
    ]
    expect(refusals.map((answer) => [answer.status, alert(answer.text)])).toEqual([
      [422, 'This outbox cannot be replayed.'],
      [403, 'The form has expired. Sign in again.'],
      [403, 'The form has expired. Sign in again.'],
    ])
    expect(requests).toHaveLength(2)
  })
  it.each([
    [() => Response.json({}), 303, undefined],
    [() => Response.json({ detail: 'Not allowed' }, { status: 403 }), 403, 'Not allowed'],
  ])('answers what the API answers to a replay: %#', async (answer, expectedStatus, message) => {
    let isFirst = true
    const { send, post } = open(() => {
      const response = isFirst ? ok() : answer()
      isFirst = false
      return response
    })
    const formToken =
      /name="token" value="([^"]*)"/.exec((await send('', { headers: cookie })).text)?.[1] ?? ''
    const { status, text, headers } = await post('/replay', { outbox: 'pushes', token: formToken }, cookie)
    expect([status, alert(text)]).toEqual([expectedStatus, message])
    if (status === 303) expect(headers.get('location')).toBe('/admin/operations?replayed=pushes:0')
  })
})
