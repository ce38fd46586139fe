import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseConfig } from '#config.ts'
import { createApp, describe as describeError } from '#http/app.ts'
import { type AnyOperation, operation } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { Problem } from '#problem.ts'
import { sampleSettings } from '#test/support/settings.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const shared = {
  summary: 's',
  access: 'public',
  limit: 'public',
  returns: z.object({ a: z.int() }),
} as const
const operations = [
  operation({ ...shared, id: 'things.get', route: 'GET /things', handle: async () => ({ a: 1 }) }),
  operation({
    ...shared,
    id: 'things.create',
    route: 'POST /things',
    success: 200,
    handle: async () => ({ a: 2 }),
  }),
  operation({
    ...shared,
    id: 'things.fail',
    route: 'GET /failing',
    handle: () => Promise.reject(new TypeError('secret')),
  }),
  operation({
    ...shared,
    id: 'things.refuse',
    route: 'GET /refused',
    errors: ['conflict'],
    handle: () => Promise.reject(new Problem('conflict')),
  }),
  operation({
    ...shared,
    id: 'things.undeclared',
    route: 'GET /undeclared',
    handle: () => Promise.reject(new Problem('conflict')),
  }),
]

/** Create an app whose limiter gives `limit`. */
function open({ limit = {}, settings = {} }: { limit?: object; settings?: Record<string, string> } = {}) {
  const lines: Record<string, unknown>[] = []
  const counted: unknown[] = []
  const config = parseConfig({
    ...sampleSettings,
    CORS_ORIGINS: 'https://app.example',
    CHECK_RESPONSES: 'false',
    ...settings,
  })
  const services = createStubServices({
    config,
    readClientAddress: () => '2001:db8:1:2:3::4',
    log: (line) => lines.push(line),
    limiter: {
      count: async (...call: unknown[]) => {
        counted.push([call[0], call[2]])
        return { allowed: true, limit: 120, remaining: 119, resetSeconds: 60, ...limit }
      },
      ping: async () => {},
    },
  })
  const app = createApp(services)
  mountOperations(app, [toRouteGroup(operations as readonly AnyOperation[])], services)
  return {
    lines,
    counted,
    send: async (path: string, init: RequestInit = {}) => app.request(`/api/v1${path}`, init),
  }
}

describe('an answer of the app', () => {
  it('has the headers that protect a browser', async () => {
    const { headers } = await open().send('/things')
    expect(Object.fromEntries(headers)).toMatchObject({
      ...{
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
      },
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      ...{
        'cross-origin-resource-policy': 'same-site',
        vary: 'Origin',
        'content-type': 'application/json; charset=utf-8',
      },
    })
  })
  it.each([
    ['a'.repeat(8), true],
    ['a.b:c-d_e', true],
    ['a'.repeat(128), true],
    ['a'.repeat(7), false],
    ['a'.repeat(129), false],
    ['a b c d e f', false],
  ])('repeats the request id %s: %s', async (id, isRepeated) => {
    const { lines, send } = open()
    const answered = (await send('/things', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
    expect([answered === id, lines[0]?.request_id === answered]).toEqual([isRepeated, true])
  })
  it.each([
    ['https://app.example', 'https://app.example'],
    ['https://evil.example', null],
  ])('may be read by a page of %s: %s', async (origin, allowed) => {
    const { send } = open()
    expect((await send('/things', { headers: { origin } })).headers.get('access-control-allow-origin')).toBe(
      allowed,
    )
    const preflight = await send('/things', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    const { headers, status } = preflight
    expect([
      status,
      headers.get('access-control-allow-origin'),
      headers.get('access-control-max-age'),
    ]).toEqual([204, allowed, '600'])
    expect(headers.get('access-control-allow-headers')).toContain('Idempotency-Key')
  })
  it.each([
    ['/things', 'PUT', 405, 'GET, HEAD, POST'],
    ['/failing', 'DELETE', 405, 'GET, HEAD'],
    ['/nothing', 'GET', 404, null],
  ])('to %s %s is %i', async (path, method, status, allow) => {
    const answer = await open().send(path, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow])
  })
})

describe('the log line of a request', () => {
  it('has no error for a refusal', async () => {
    const { lines, send } = open()
    expect((await send('/refused')).status).toBe(409)
    expect(lines).toEqual([
      expect.objectContaining({
        method: 'GET',
        operation: 'things.refuse',
        status: 409,
        user_id: null,
        account_id: null,
      }),
    ])
    expect(lines[0]).not.toHaveProperty('error')
  })
  it('names the error of a failure, without its message', async () => {
    const { lines, send } = open()
    const answer = await send('/failing')
    expect([answer.status, await answer.json()]).toEqual([500, { detail: 'Internal error' }])
    expect(lines[0]).toMatchObject({ operation: 'things.fail', status: 500, error: { name: 'TypeError' } })
    expect(JSON.stringify(lines)).not.toContain('secret')
  })
  it('names no operation where there is none', async () => {
    const { lines, send } = open()
    await send('/nothing')
    expect(lines[0]).toMatchObject({ operation: null, status: 404 })
  })
})

describe('the rate limit of an operation', () => {
  it('is counted by the network of the client, and answered in headers', async () => {
    const { counted, send } = open()
    const { headers } = await send('/things')
    expect(counted).toEqual([['things.get:2001:db8:1:2::/64', false]])
    expect(['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`))).toEqual([
      '120',
      '119',
      '60',
    ])
  })
  it.each(['GET', 'POST'])('refuses a %s beyond it', async (method) => {
    const answer = await open({ limit: { allowed: false, remaining: 0, resetSeconds: 7 } }).send('/things', {
      method,
    })
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      ...[429, '7', { detail: 'Rate limit exceeded: 120 per minute' }],
    ])
  })
})

it('an error that an operation does not declare is a mistake only where answers are checked', async () => {
  expect((await open().send('/undeclared')).status).toBe(409)
  const checked = open({ settings: { CHECK_RESPONSES: 'true' } })
  expect([(await checked.send('/undeclared')).status, (await checked.send('/refused')).status]).toEqual([
    500, 409,
  ])
})

describe('an error in the log', () => {
  it('has its name, its code, six lines of its stack and its cause, but no message', () => {
    const error = Object.assign(
      new TypeError('secret', { cause: Object.assign(new Error('secret'), { stack: undefined }) }),
      {
        code: 'E1',
      },
    )
    error.stack = `TypeError: secret\n${'    at place (file:1)\n'.repeat(7)}secret`
    expect(describeError(error)).toEqual({
      ...{ name: 'TypeError', code: 'E1', stack: Array(6).fill('at place (file:1)') },
      cause: { name: 'Error', code: undefined, stack: undefined },
    })
    expect(describeError('secret')).toEqual({ name: 'string' })
  })
})
