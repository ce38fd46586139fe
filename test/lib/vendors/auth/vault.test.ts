import { expect, it, onTestFinished, vi } from 'vitest'
import { createTokenSigner } from '#vendors/auth/jwt.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { createAccountReferences } from '#vendors/billing/account-reference.ts'

const key = (version: number) => ({ version, key: Buffer.alloc(32, version).toString('base64') })
const [old, current] = [key(1), key(2)]

it('a secret is sealed with the first key, and opened with every key', async () => {
  const sealed = await createVault([old]).seal('sesame', 'owner')
  const vault = createVault([current, old])
  const sealedAgain = await vault.seal('sesame', 'owner')
  expect([sealed.split('.')[0], sealedAgain.split('.')[0]]).toEqual(['1', '2'])
  expect([await vault.open(sealed, 'owner'), await vault.open(sealedAgain, 'owner')]).toEqual([
    'sesame',
    'sesame',
  ])
})

it('each sealed text has a nonce of its own with 12 bytes', async () => {
  const vault = createVault([current])
  const nonces = await Promise.all(
    [1, 2, 3].map(async () => (await vault.seal('sesame', 'owner')).split('.')[1] ?? ''),
  )
  expect([new Set(nonces).size, nonces.map((nonce) => Buffer.from(nonce, 'base64url').length)]).toEqual([
    3,
    [12, 12, 12],
  ])
})

it('a sealed text is not opened for another owner, or after a change', async () => {
  const vault = createVault([current])
  const sealed = await vault.seal('sesame', 'owner')
  // The last character has bits that no byte uses, so the one before it is changed.
  const changed = sealed.replace(/.(?=.$)/, (character) => (character === 'A' ? 'B' : 'A'))
  await expect(vault.open(sealed, 'other')).rejects.toThrow()
  for (const text of [changed, sealed.split('.').slice(0, 2).join('.'), '2', ''])
    await expect(vault.open(text, 'owner')).rejects.toThrow()
})

it('a missing key is named', async () => {
  const sealed = await createVault([old]).seal('sesame', 'owner')
  await expect(createVault([current]).open(sealed, 'owner')).rejects.toThrow(
    'No credentials key of version 1',
  )
  await expect(createVault([]).seal('sesame', 'owner')).rejects.toThrow(
    'No credentials key of version undefined',
  )
})

it('no key can be read back after its import', async () => {
  const imports = vi.spyOn(crypto.subtle, 'importKey')
  onTestFinished(() => void vi.restoreAllMocks())
  await createVault([current]).seal('sesame', 'owner')
  const settings = {
    JWT_KEYS: [{ kid: 'k', secret: 'a'.repeat(32) }],
    JWT_ISSUER: undefined,
    JWT_AUDIENCE: undefined,
  }
  await createTokenSigner({ ...settings, PUBLIC_BASE_URL: 'https://api.example' }).sign('subject', {}, 60)
  await createAccountReferences(settings.JWT_KEYS).sign('a')
  expect(imports.mock.calls.map(([, , , isExtractable, usages]) => [isExtractable, usages])).toEqual([
    [false, ['encrypt', 'decrypt']],
    [false, ['sign', 'verify']],
    [false, ['sign', 'verify']],
  ])
})
