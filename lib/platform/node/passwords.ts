import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import {
  argon2Cost,
  createHashPlaces,
  type HashedFor,
  normalisePassword,
  type PasswordHasher,
} from '#vendors/auth/passwords.ts'

const { hashLength: outputLen, ...cost } = argon2Cost

// Hashing runs in Node's four threads of libuv. One stays free for files and DNS.
const running = Math.min(3, availableParallelism())

/** Create a hasher that uses native code outside the event loop. */
export function nativePasswords(): PasswordHasher {
  const runInPlace = createHashPlaces(running, 10)
  const hash = (password: string, hashedFor: HashedFor = 'stranger') =>
    runInPlace(hashedFor, () => argon2Hash(normalisePassword(password), { ...cost, outputLen }))
  // Verified for unknown addresses, so that the answer takes as long as for known ones.
  let decoy: Promise<string> | undefined
  return {
    hash,
    async verify(stored, password, hashedFor = 'stranger') {
      decoy ??= hash(randomUUID(), 'known')
      const decoyHash = await decoy.catch((error: unknown) => {
        decoy = undefined
        throw error
      })
      const isMatch = await runInPlace(hashedFor, () => verifyHash(stored ?? decoyHash, password))
      return stored !== undefined && isMatch
    },
  }
}

/** Return whether `password` matches. A stored text that is no hash matches nothing. */
async function verifyHash(stored: string, password: string): Promise<boolean> {
  return argon2Verify(stored, normalisePassword(password)).catch(() => false)
}
