import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { request, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

/**
 * What MCP clients send, from the source of the official one. `Mcp-Param-` is for tools that ask for it, of which there is none, and the
 * other is an option of its own server.
 */
const mcpHeaders = [
  ...new Set(
    Array.from(
      readdirSync(fileURLToPath(new URL('.', import.meta.resolve('@modelcontextprotocol/client'))))
        .filter((name) => name.endsWith('.mjs'))
        .map((name) =>
          readFileSync(
            fileURLToPath(new URL(name, import.meta.resolve('@modelcontextprotocol/client'))),
            'utf8',
          ),
        )
        .join('\n')
        .matchAll(/["'](mcp-[a-z-]+[a-z])["']/gi),
      ([, name = '']) => name.toLowerCase(),
    ),
  ),
].filter((name) => !['mcp-wire-codec'].includes(name))

const service = await sharedService()
const allowedOrigin = 'http://localhost:5173'
const send = (path: string, init: RequestInit = {}) =>
  fetch(service.api + path, { redirect: 'manual', ...init })
const listCorsHeaders = (response: Response) =>
  [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
const parseListHeader = (response: Response, name: string) =>
  (response.headers.get(name) ?? '').split(',').map((item) => item.trim().toLowerCase())

/**
 * Build one request for each kind of response that the Worker returns. Each entry is path, expected status
 * and request options.
 */
async function buildRequests(): Promise<[string, number, RequestInit][]> {
  const { admin } = await createAccount(service)
  const signedIn = { headers: { authorization: `Bearer ${admin.token}` } }
  const json = (body: string) => ({
    method: 'POST',
    body,
    headers: { ...signedIn.headers, 'content-type': 'application/json' },
  })
  return [
    ['/health', 200, {}],
    ['/openapi.json', 200, {}],
    ['/docs', 308, {}],
    ['/docs/', 200, {}],
    ['/docs/style.css', 200, {}],
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
    [
      '/api/v1/notifications',
      204,
      { method: 'OPTIONS', headers: { origin: allowedOrigin, 'access-control-request-method': 'GET' } },
    ],
  ]
}

describe('CORS', () => {
  it.each([
    ['http://localhost:5174', true],
    ['http://127.0.0.1:4200', true],
    ['http://localhost:3000.evil.example', false],
    ['http://localhost.evil.example:3000', false],
    ['https://localhost:3000', false],
    ['null', false],
  ])('WIR-73 locally a page of %s may call: %s', async (origin, isAllowed) => {
    const { headers } = await send('/health', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe(isAllowed ? origin : null)
  })

  it('allows the configured origin every method and request header of the API', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const headers = {
        origin: allowedOrigin,
        'access-control-request-method': method,
        'access-control-request-headers': [
          ...[
            'authorization',
            'content-type',
            'idempotency-key',
            'if-none-match',
            'prefer',
            'x-request-id',
            'last-event-id',
            'traceparent',
          ],
          ...mcpHeaders,
        ].join(','),
      }
      const response = await send('/api/v1/notifications/configs', { method: 'OPTIONS', headers })
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
        204,
        allowedOrigin,
      ])
      expect(parseListHeader(response, 'access-control-allow-methods')).toContain(method.toLowerCase())
      const allowedHeaders = parseListHeader(response, 'access-control-allow-headers')
      expect(allowedHeaders.sort()).toEqual(headers['access-control-request-headers'].split(',').sort())
      expect(response.headers.get('vary')).toContain('Origin')
    }
  })

  it('lets the configured origin read every kind of response and the headers that clients need', async () => {
    for (const [path, status, init] of await buildRequests()) {
      const response = await send(path, { ...init, headers: { ...init.headers, origin: allowedOrigin } })
      expect([path, response.status, response.headers.get('access-control-allow-origin')]).toEqual([
        path,
        status,
        allowedOrigin,
      ])
      expect(response.headers.get('vary')).toContain('Origin')
      if (init.method === 'OPTIONS') continue
      const exposedHeaders = [
        'content-disposition',
        'etag',
        'idempotent-replayed',
        'link',
        'location',
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
        'retry-after',
        'www-authenticate',
        'x-request-id',
      ]
      expect(parseListHeader(response, 'access-control-expose-headers').sort()).toEqual(exposedHeaders)
    }
  })

  it.each(['https://evil.example', 'https://localhost:5173', 'http://localhost:5173.evil.example', 'null'])(
    'does not allow another origin: %s',
    async (origin) => {
      const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } }
      for (const init of [preflight, { headers: { origin } }]) {
        const response = await send('/api/v1/notifications', init)
        expect([
          response.headers.get('access-control-allow-origin'),
          response.headers.get('access-control-allow-credentials'),
        ]).toEqual([null, null])
      }
    },
  )

  it('never allows credentials or the origin *', async () => {
    for (const [path, , init] of await buildRequests()) {
      const response = await send(path, init)
      expect(listCorsHeaders(response)).not.toContain('access-control-allow-credentials')
      expect(response.headers.get('access-control-allow-origin')).not.toBe('*')
    }
  })
})

it('WIR-22 sends the security headers and a unique request id with every kind of response', async () => {
  const ids = new Set<string | null>()
  const requests = await buildRequests()
  for (const [path, status, init] of requests) {
    const response = await send(path, init)
    expect([path, response.status]).toEqual([path, status])
    expect([path, Object.fromEntries(response.headers)]).toMatchObject([
      path,
      {
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'strict-transport-security': expect.stringMatching(/^max-age=\d{8,}/),
        'cache-control': /^.(?:docs.|openapi)/.test(path) && status < 400 ? 'no-cache' : 'no-store',
        'cross-origin-resource-policy': 'same-site',
        'x-request-id': expect.stringMatching(/^[\w.:-]{8,128}$/),
      },
    ])
    ids.add(response.headers.get('x-request-id'))
  }
  expect(ids.size).toBe(requests.length)
})

describe('paths and methods', () => {
  it.each([
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v2/notifications',
    '/API/v1/notifications',
    '/desk',
    '/desk/faults',
  ])('WIR-02 returns 404 with a detail for an unknown path: %s', async (path) => {
    const response = await send(path)
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Not found' }])
    expect(response.headers.get('content-type')).toContain('application/json')
  })

  it.each([
    '/api/v1/%',
    '/api/v1/%E0%A4%A',
    '/api/v1/notifications/%00',
    '/api/v1/notifications/%ff/read',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/docs/..%2f..%2fworker',
  ])('returns 404 or 405, never a 5xx, for a path with unusual characters: %s', async (path) =>
    expect([404, 405]).toContain((await send(path)).status),
  )

  it.each([
    ['PUT', '/api/v1/notifications', 'GET, HEAD'],
    ['DELETE', '/api/v1/notifications/configs', 'GET, HEAD, POST'],
    ['PUT', '/api/v1/notifications/configs/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11', 'PATCH, DELETE'],
    ['GET', '/api/v1/auth/login', 'POST'],
    ['GET', '/jobs/notifications/deliver', 'POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ])('returns 405 with an Allow header for a wrong method: %s %s', async (method, path, allow) => {
    const response = await send(path, { method })
    expect([response.status, await response.json()]).toEqual([405, { detail: 'Method not allowed' }])
    expect(response.headers.get('allow')).toBe(allow)
  })

  it('WIR-01 serves an operation below /api/v1 and nowhere else', async () => {
    const { admin } = await createAccount(service)
    expectStatus(await request(service, 'GET', '/notifications', { token: admin.token }), 200)
    expectStatus(await send('/notifications', { headers: { authorization: `Bearer ${admin.token}` } }), 404)
  })
})
