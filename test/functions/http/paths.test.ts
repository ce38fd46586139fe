import { expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { sharedService } from '#test/support/app.ts'

const service = await sharedService()
const send = async (path: string, init?: RequestInit) =>
  (service.fetch ?? fetch)(new Request(new URL(path, service.api), init))

const paths = [...new Set(operations.map(({ path }) => `/api/v1${path}`.replace(/\/$/, '')))].map((path) =>
  path.replace(/\{\w+\}/g, '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11'),
)
const others = ['/health', '/ready', '/metrics', '/openapi.json', '/mcp', '/oauth/token', '/oauth/register']
const pages = ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp']

it('WIR-85 answers each path alike with a slash at its end, and names HEAD beside GET', async () => {
  const differences: unknown[] = []
  for (const path of [...paths, ...others, ...pages]) {
    // No path has it, so each answers with what it allows.
    const [plain, slashed] = await Promise.all(
      [path, `${path}/`].map((each) => send(each, { method: 'PURGE' })),
    )
    const allow = plain?.headers.get('allow') ?? ''
    const facts = [plain?.status, allow, /GET(?!, HEAD)/.test(allow)]
    if (plain?.status !== 404 || path.startsWith('/api'))
      if (facts[2] || slashed?.status !== plain?.status || slashed?.headers.get('allow') !== (allow || null))
        differences.push([path, ...facts, slashed?.status])
  }
  expect(differences).toEqual([])
})

it('WIR-85 a cached answer is any for If-None-Match: *', async () => {
  for (const [known, status] of [
    ['*', 304],
    [' * ', 304],
    ['"x*"', 200],
  ] as const)
    expect((await send('/api/v1/public/templates', { headers: { 'if-none-match': known } })).status).toBe(
      status,
    )
})
