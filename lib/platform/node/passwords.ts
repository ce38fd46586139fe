import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { limitConcurrency } from './limit-concurrency.ts'

/** Hashes passwords with argon2id. */
interface Passwords {
  /** Return the PHC string, which contains the salt. */
  hash(password: string): Promise<string>
  /** Return whether `password` matches `hash`. Without a hash, return false after the same time. */
  verify(hash: string | undefined, password: string): Promise<boolean>
}

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane.
const argon2Options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 }

// Hashing runs in Node's four threads of libuv. One stays free for files and DNS. 100 more wait for about 1.5 s on two processors.
const limits = { running: Math.min(3, availableParallelism()), waiting: 100 }

/** Create a hasher that uses native code outside the event loop. Throws `unavailable` when too many sign-ins wait already. */
export function nativePasswords(): Passwords {
  const runLimited = limitConcurrency(limits)
  const hash = (password: string) => runLimited(() => argon2Hash(password, argon2Options))
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
  return argon2Verify(stored, password).catch(() => false)
}
