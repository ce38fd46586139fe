import { describe, expect, it } from 'vitest'
import { request, sharedService } from '../../support/app.ts'
import { expectStatus } from '../../support/expect-status.ts'
import { createAccount } from '../../support/people.ts'

const service = sharedService()
const ours = 'http://localhost:5173'
const send = (path: string, init: RequestInit = {}) => fetch(service.api + path, { redirect: 'manual', ...init })
const corsHeaders = (answer: Response) => [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
const listOf = (answer: Response, name: string) => (answer.headers.get(name) ?? '').split(',').map((item) => item.trim().toLowerCase())

/** One request for every kind of answer the Worker gives, each with the status it has. */
async function kinds(): Promise<[string, number, RequestInit][]> {
  const { admin } = await createAccount(service)
  const signedIn = { headers: { authorization: `Bearer ${admin.token}` } }
  const json = (body: string) => ({ method: 'POST', body, headers: { ...signedIn.headers, 'content-type': 'application/json' } })
  return [
    ['/health', 200, {}],
    ['/openapi.json', 200, {}],
    ['/docs', 308, {}],
    ['/docs/', 200, {}],
    ['/docs/swagger-ui.css', 200, {}],
    ['/docs/nothing', 404, {}],
    ['/nowhere', 404, {}],
    ['/jobs/notifications/deliver', 401, { method: 'POST', body: '{}' }],
    ['/api/v1/notifications', 200, signedIn],
    ['/api/v1/notifications', 401, {}],
    ['/api/v1/notifications', 405, { method: 'PUT' }],
    ['/api/v1/notifications?limit=0', 422, signedIn],
    ['/api/v1/notifications/x/read', 404, { method: 'PATCH', ...signedIn }],
    ['/api/v1/notifications/configs', 422, json('{')],
    ['/api/v1/notifications/configs', 413, json('x'.repeat(1024 * 1024 + 1))],
    ['/api/v1/notifications/configs', 415, { method: 'POST', body: 'x', ...signedIn }],
    ['/api/v1/auth/logout', 204, { ...json('{"refresh_token":"unknown"}') }],
    ['/api/v1/notifications', 204, { method: 'OPTIONS', headers: { origin: ours, 'access-control-request-method': 'GET' } }],
  ]
}

describe('CORS', () => {
  it('a preflight of the configured origin may use every method and header of the API', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const headers = {
        origin: ours,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,idempotency-key,x-request-id,last-event-id',
      }
      const answer = await send('/api/v1/notifications/configs', { method: 'OPTIONS', headers })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, ours])
      expect(listOf(answer, 'access-control-allow-methods')).toContain(method.toLowerCase())
      const allowed = listOf(answer, 'access-control-allow-headers')
      expect(allowed.sort()).toEqual(['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'x-request-id'])
      expect(answer.headers.get('vary')).toContain('Origin')
    }
  })

  it('every kind of answer is readable by the configured origin, with the headers a client needs', async () => {
    for (const [path, status, init] of await kinds()) {
      const answer = await send(path, { ...init, headers: { ...init.headers, origin: ours } })
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, status, ours])
      expect(answer.headers.get('vary')).toContain('Origin')
      if (init.method === 'OPTIONS') continue
      const exposed = ['link', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after', 'x-request-id']
      expect(listOf(answer, 'access-control-expose-headers').sort()).toEqual(exposed)
    }
  })

  it.each(['https://evil.example', 'http://localhost:5174', 'https://localhost:5173', 'http://localhost:5173.evil.example', 'null'])(
    'another origin is allowed nothing: %s',
    async (origin) => {
      const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } }
      for (const init of [preflight, { headers: { origin } }]) {
        const answer = await send('/api/v1/notifications', init)
        expect([answer.headers.get('access-control-allow-origin'), answer.headers.get('access-control-allow-credentials')]).toEqual([
          null,
          null,
        ])
      }
    },
  )

  it('no answer allows credentials or every origin', async () => {
    for (const [path, , init] of await kinds()) {
      const answer = await send(path, init)
      expect(corsHeaders(answer)).not.toContain('access-control-allow-credentials')
      expect(answer.headers.get('access-control-allow-origin')).not.toBe('*')
    }
  })
})

it('WIR-22 every kind of answer has the security headers and a request id of its own', async () => {
  const ids = new Set<string | null>()
  const every = await kinds()
  for (const [path, status, init] of every) {
    const answer = await send(path, init)
    expect([path, answer.status]).toEqual([path, status])
    expect([path, Object.fromEntries(answer.headers)]).toMatchObject([
      path,
      {
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'strict-transport-security': expect.stringMatching(/^max-age=\d{8,}/),
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-site',
        'x-request-id': expect.stringMatching(/^[\w.:-]{8,128}$/),
      },
    ])
    ids.add(answer.headers.get('x-request-id'))
  }
  expect(ids.size).toBe(every.length)
})

describe('paths and methods', () => {
  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1/notifications/',
    '/api/v2/notifications',
    '/API/v1/notifications',
    '/desk',
    '/desk/faults',
  ])('WIR-02 an unknown path is 404 with a detail: %s', async (path) => {
    const answer = await send(path)
    expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Not found' }])
    expect(answer.headers.get('content-type')).toContain('application/json')
  })

  it.each([
    '/api/v1/%',
    '/api/v1/%E0%A4%A',
    '/api/v1/notifications/%00',
    '/api/v1/notifications/%ff/read',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/docs/..%2f..%2fworker',
  ])('a path of odd characters is 404 or 405, and never an error: %s', async (path) =>
    expect([404, 405]).toContain((await send(path)).status),
  )

  it.each([
    ['PUT', '/api/v1/notifications', 'GET'],
    ['DELETE', '/api/v1/notifications/configs', 'GET, POST'],
    ['PUT', '/api/v1/notifications/configs/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11', 'PATCH, DELETE'],
    ['GET', '/api/v1/auth/login', 'POST'],
    ['GET', '/jobs/notifications/deliver', 'POST'],
    ['POST', '/health', 'GET'],
    ['POST', '/openapi.json', 'GET'],
  ])('a wrong method is 405 and says which are right: %s %s', async (method, path, allow) => {
    const answer = await send(path, { method })
    expect([answer.status, await answer.json()]).toEqual([405, { detail: 'Method not allowed' }])
    expect(answer.headers.get('allow')).toBe(allow)
  })

  it('WIR-01 an operation answers below /api/v1 and nowhere else', async () => {
    const { admin } = await createAccount(service)
    expectStatus(await request(service, 'GET', '/notifications', { token: admin.token }), 200)
    expectStatus(await send('/notifications', { headers: { authorization: `Bearer ${admin.token}` } }), 404)
  })
})
