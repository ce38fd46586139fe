// @module-tag mechanism
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { performance } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { wasmPasswords } from '#platform/cloudflare/passwords.ts'
import { nativePasswords } from '#platform/node/passwords.ts'
import { measureMs } from '#test/support/measure.ts'
import { isOutdatedHash, type PasswordHasher } from '#vendors/auth/passwords.ts'

// In this process nothing compiles the module at deployment.
const compiled = new WebAssembly.Module(
  await readFile(createRequire(import.meta.url).resolve('@phi-ag/argon2/argon2.wasm')),
)
const hashers: Record<string, PasswordHasher> = {
  'WebAssembly (Cloudflare)': wasmPasswords(compiled),
  'native code (Node)': nativePasswords(),
}
const password = 'correct-horse-Öl-🔑'

describe.each(Object.entries(hashers))('passwords in %s', (_, passwords) => {
  it('are hashed with argon2id, 19 MiB, two passes, one lane and a salt of their own', async () => {
    const hashes = await Promise.all([passwords.hash(password), passwords.hash(password)])
    for (const hash of hashes)
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(hashes[0]).not.toBe(hashes[1])
  })

  it('match their own hash and no other', async () => {
    const hash = await passwords.hash(password)
    expect(await passwords.verify(hash, password)).toBe(true)
    expect(await passwords.verify(hash, `${password} `)).toBe(false)
    expect(await passwords.verify(hash, '')).toBe(false)
    expect(await passwords.verify(await passwords.hash('another'), password)).toBe(false)
  })

  it('are outdated if the algorithm or its cost is another one', async () => {
    const hash = await passwords.hash(password)
    expect(isOutdatedHash(hash)).toBe(false)
    for (const older of [
      hash.replace('t=2', 't=1'),
      hash.replace('argon2id', 'argon2i'),
      hash.replace('m=19456', 'm=194560'),
      'no hash',
    ])
      expect([older, isOutdatedHash(older)]).toEqual([older, true])
  })

  it('count to the last letter in every script', async () => {
    for (const [right, wrong] of [
      ['пароль-1234', 'пароль-5678'],
      ['密码密码密码-a', '密码密码密码-b'],
    ] as const)
      expect(await passwords.verify(await passwords.hash(right), wrong)).toBe(false)
  })

  it('match a hash of every other implementation', async () => {
    for (const other of Object.values(hashers)) {
      const hash = await other.hash(password)
      expect(await passwords.verify(hash, password)).toBe(true)
      expect(await passwords.verify(hash, 'wrong')).toBe(false)
    }
  })

  it.each(['', 'no hash', '$argon2id$v=19$m=19456,t=2,p=1$$', '$2b$10$abcdefghijklmnopqrstuv'])(
    'do not match the stored text %j',
    async (stored) => {
      expect(await passwords.verify(stored, password)).toBe(false)
    },
  )

  it('do not match without a hash, which takes as long as with one', { retry: 2 }, async () => {
    const hash = await passwords.hash(password)
    const measure = (stored: string | undefined) =>
      measureMs(async () => expect(await passwords.verify(stored, password)).toBe(stored !== undefined))
    await measure(undefined)
    const times: [number[], number[]] = [[], []]
    for (let n = 0; n < 9; n++) {
      times[0].push(await measure(hash))
      times[1].push(await measure(undefined))
    }
    // The shortest times, because other processes only make them longer.
    const ratio = Math.min(...times[1]) / Math.min(...times[0])
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })
})

describe('passwords in native code', () => {
  it('are hashed outside the event loop', async () => {
    const passwords = nativePasswords()
    const shares: number[] = []
    for (let round = 0; round < 5; round++) {
      const before = performance.eventLoopUtilization()
      await Promise.all(Array.from({ length: 10 }, () => passwords.hash(password)))
      shares.push(performance.eventLoopUtilization(before).utilization)
    }
    // The lowest share, because other processes only make it higher.
    expect(Math.min(...shares)).toBeLessThan(0.5)
  })

  it('are refused as unavailable while too many wait, and hashed again afterwards', async () => {
    const passwords = nativePasswords()
    const hash = await passwords.hash(password)
    await passwords.verify(hash, password)
    const results = await Promise.allSettled(
      Array.from({ length: 110 }, () => passwords.verify(hash, password, 'known')),
    )
    const reasons = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
    expect(reasons.length).toBeGreaterThan(0)
    expect(reasons.length).toBeLessThan(10)
    for (const reason of reasons) expect(reason).toMatchObject({ kind: 'unavailable' })
    expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(
      110 - reasons.length,
    )
    expect(await passwords.verify(hash, password)).toBe(true)
  })
})
