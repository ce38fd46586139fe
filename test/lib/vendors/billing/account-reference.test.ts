import { describe, expect, it } from 'vitest'
import { createAccountReferences } from '#vendors/billing/account-reference.ts'

const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`

describe('a reference of an account', () => {
  const keys = (name: string) => ({ kid: name, secret: name.repeat(32) })
  it('is verified with every key, and signed with the first', async () => {
    const reference = await createAccountReferences([keys('a')]).sign(id(1))
    expect(reference).toMatch(/^[\w-]{80}$/)
    expect(await createAccountReferences([keys('b'), keys('a')]).verify(reference)).toBe(id(1))
    expect(await createAccountReferences([keys('b')]).verify(reference)).toBeNull()
    expect(
      await createAccountReferences([keys('a')]).verify(reference.replace('000001', '000002')),
    ).toBeNull()
    expect(await createAccountReferences([keys('a')]).verify(id(1))).toBeNull()
    await expect(createAccountReferences([]).sign(id(1))).rejects.toThrow('There is no key')
  })
})
