import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { mountMcp } from '#functions/mcp/mount.ts'
import { readingScopes } from '#functions/mcp/tools.ts'
import type { Env } from '#http/app.ts'
import { createKeyMemory } from '#http/key-memory.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const services = createStubServices({
  config: { PUBLIC_BASE_URL: 'https://api.example', CORS_ORIGINS: ['https://app.example'] },
})
const app = new Hono<Env>().use(async (c, next) => {
  c.set('headers', {})
  c.set('ip', '192.0.2.1')
  await next()
})
mountMcp(app, [], services, createKeyMemory())

const challenge = `Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource/mcp", scope="${readingScopes.join(' ')}"`

it.each([
  [{}, 401, 'Not authenticated', challenge],
  [{ origin: 'https://app.example' }, 401, 'Not authenticated', challenge],
  [{ origin: 'https://api.example' }, 401, 'Not authenticated', challenge],
  [{ authorization: 'Bearer x' }, 401, 'Not authenticated', challenge],
  [{ origin: 'https://evil.example' }, 403, 'Not allowed', null],
])('MCP-01 a call with %j is answered with %i', async (headers, status, detail, authenticate) => {
  const response = await app.request('/mcp', { method: 'POST', headers: headers as Record<string, string> })
  expect([response.status, (await response.json()).detail, response.headers.get('www-authenticate')]).toEqual(
    [status, detail, authenticate],
  )
})
