import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { limitConcurrency } from '#async/limit-concurrency.ts'
import { argon2Cost, normalisePassword, type PasswordHasher } from '#vendors/auth/passwords.ts'

const { hashLength: outputLen, ...cost } = argon2Cost

// Hashing runs in Node's four threads of libuv. One stays free for files and DNS. On two processors 100
// waiting calls take about a second.
const limits = { running: Math.min(3, availableParallelism()), waiting: 100 }

/**
 * Create a hasher that uses native code outside the event loop. Throws `unavailable` when too many sign-ins
 * wait already.
 */
export function nativePasswords(): PasswordHasher {
  const runLimited = limitConcurrency(limits)
  const hash = (password: string) =>
    runLimited(() => argon2Hash(normalisePassword(password), { ...cost, outputLen }))
  // Verified for unknown addresses, so that the answer takes as long as for known ones.
  let decoy: Promise<string> | undefined
  return {
    hash,
    async verify(stored, password) {
      decoy ??= hash(randomUUID())
      const decoyHash = await decoy.catch((error: unknown) => {
        decoy = undefined
        throw error
      })
      const isMatch = await runLimited(() => verifyHash(stored ?? decoyHash, password))
      return stored !== undefined && isMatch
    },
  }
}

/** Return whether `password` matches. A stored text that is no hash matches nothing. */
async function verifyHash(stored: string, password: string): Promise<boolean> {
  return argon2Verify(stored, normalisePassword(password)).catch(() => false)
}
