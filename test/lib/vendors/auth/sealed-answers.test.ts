import { expect, it } from 'vitest'
import { openAnswers, sealAnswers } from '#vendors/auth/sealed-answers.ts'
import { createVault } from '#vendors/auth/vault.ts'

const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`

it('seals the secret answers that have a text, each for its session and field', async () => {
  const vault = createVault([{ version: 1, key: Buffer.alloc(32, 1).toString('base64') }])
  const sealed = await sealAnswers(vault, id(1), { a: 'x', b: ' ', c: 7, d: 'y' })
  expect(Object.keys(sealed)).toEqual(['a', 'd'])
  expect(await openAnswers(vault, id(1), sealed)).toEqual({ a: 'x', d: 'y' })
  await expect(openAnswers(vault, id(2), sealed)).rejects.toThrow()
  await expect(openAnswers(vault, id(1), { a: sealed.d ?? '' })).rejects.toThrow()
})
