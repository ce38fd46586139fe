import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { Env } from '#http/app.ts'
import { mountMetrics } from '#http/metrics-endpoint.ts'

const app = new Hono<Env>().use(async (c, next) => {
  c.set('headers', {})
  await next()
})
mountMetrics(app, 'secret', async () => 'up 1\n')

it.each([
  ['Bearer secret', 200, 'text/plain; version=0.0.4; charset=utf-8', 'up 1\n'],
  [
    'Bearer secrets',
    401,
    'application/json; charset=utf-8',
    '{"detail":"Send METRICS_TOKEN as the bearer token"}',
  ],
  ['', 401, 'application/json; charset=utf-8', '{"detail":"Send METRICS_TOKEN as the bearer token"}'],
])(
  'OBS-03 the authorization %j of the metrics is answered with %i',
  async (authorization, status, type, text) => {
    const response = await app.request('/metrics', { headers: { authorization } })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      status,
      type,
      text,
    ])
  },
)
