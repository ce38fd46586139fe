import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { mountOAuth } from '#functions/oauth/mount.ts'
import type { Env } from '#http/app.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const maxBodyBytes = 64 * 1024

function createApp(allowed = true): Hono<Env> {
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    c.set('ip', '192.0.2.1')
    c.set('headers', {})
    await next()
  })
  const count = async () => ({ allowed, limit: 5, remaining: 0, resetSeconds: 60 })
  mountOAuth(app, createStubServices({ limiter: { count, ping: async () => {} } }))
  return app
}
const post = async (path: string, body: string, app = createApp()) => {
  const response = await app.request(path, { method: 'POST', body })
  const { error, code } = (await response.json()) as Record<string, unknown>
  return [response.status, error ?? code]
}

describe('a request to the OAuth server', () => {
  it.each([
    ['/oauth/token', 'unsupported_grant_type'],
    ['/oauth/register', 'invalid_redirect_uri'],
  ])('MCP-11 may have a body of 64 KiB: %s', async (path, error) => {
    expect(await post(path, 'x'.repeat(maxBodyBytes))).toEqual([400, error])
    expect(await post(path, 'x'.repeat(maxBodyBytes + 1))).toEqual([413, undefined])
  })

  it.each([
    ['grant_type=authorization_code', 'invalid_request'],
    ['grant_type=refresh_token', 'invalid_request'],
    ['grant_type=password', 'unsupported_grant_type'],
    ['', 'unsupported_grant_type'],
  ])('MCP-11 for a token is refused with an error of OAuth: %j', async (body, error) => {
    expect(await post('/oauth/token', body)).toEqual([400, error])
  })

  it.each(['/oauth/token', '/oauth/register', '/oauth/revoke'])('MCP-09 is limited: %s', async (path) => {
    expect((await post(path, '', createApp(false)))[0]).toBe(429)
  })

  it('MCP-09 for an authorization is limited, and needs a client', async () => {
    expect((await createApp(false).request('/oauth/authorize')).status).toBe(429)
    const response = await createApp().request('/oauth/authorize?redirect_uri=https://a.example/')
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('The client is unknown') })
  })
})
