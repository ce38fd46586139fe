import { expect, it, onTestFinished, vi } from 'vitest'
import { createAccessTokens } from '#vendors/auth/tokens.ts'

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const settings = {
  ...{ JWT_KEYS: [{ kid: 'k1', secret: 'a'.repeat(32) }], JWT_ISSUER: undefined, JWT_AUDIENCE: undefined },
  PUBLIC_BASE_URL: 'https://api.example',
}

it('the signatures of 2,000 tokens are checked once, and one more token forgets them', async () => {
  const tokens = createAccessTokens(settings)
  const sign = (n: number) => tokens.sign({ userId: id(n), accountId: id(0), signInId: id(n) })
  const all = await Promise.all(Array.from({ length: 2001 }, (_, n) => sign(n)))
  const verify = vi.spyOn(crypto.subtle, 'verify')
  onTestFinished(() => void vi.restoreAllMocks())
  const countChecks = async (token = '') => {
    const before = verify.mock.calls.length
    expect(await tokens.verify(token)).toMatchObject({ accountId: id(0) })
    return verify.mock.calls.length - before
  }
  for (const token of all.slice(0, 2000)) await tokens.verify(token)
  expect([await countChecks(all[0]), await countChecks(all[1999])]).toEqual([0, 0])
  expect([await countChecks(all[2000]), await countChecks(all[2000]), await countChecks(all[0])]).toEqual([
    1, 0, 1,
  ])
})
