import { describe, expect, it } from 'vitest'
import { createRecoveryCodes, hashRecoveryCode } from '#vendors/auth/recovery-codes.ts'
import { buildTotpUrl, createTotpSecret, findTotpStep, generateTotpCode } from '#vendors/auth/totp.ts'

describe('a second factor', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  it.each([
    [0, 33_333_333],
    [-30, 33_333_332],
    [30, 33_333_334],
    [-60, null],
    [60, null],
  ])('accepts the code of %i s from now', (offset, step) => {
    const now = 33_333_333 * 30 + 5
    expect(findTotpStep(secret, generateTotpCode(secret, now + offset), now)).toBe(step)
  })
  it('has a secret of 160 bits and an address for apps', () => {
    expect(createTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
    expect(generateTotpCode(secret, 0)).toMatch(/^\d{6}$/)
    const url = new URL(buildTotpUrl(secret, 'ada@example.com'))
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      secret,
      issuer: 'Support Flow',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
  it('has ten recovery codes, which are compared without case, spaces and hyphens', async () => {
    const codes = createRecoveryCodes()
    expect(codes).toHaveLength(10)
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
    expect(new Set(codes).size).toBe(10)
    expect(await hashRecoveryCode(' ABCD efgh-ijkl mnop')).toBe(await hashRecoveryCode('abcd-efgh-ijkl-mnop'))
  })
})
