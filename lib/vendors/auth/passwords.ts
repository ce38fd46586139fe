import { sharePlaces } from '#async/share-places.ts'
import { commonPasswords } from './common-passwords.ts'

/**
 * For whom a password is hashed: somebody who is signed in, or has signed in from the same address or device
 * before, or anybody else.
 */
export type HashedFor = 'known' | 'stranger'

/** Hashes passwords with argon2id. Each call rejects with `unavailable` when too many wait already. */
export interface PasswordHasher {
  /** Return the PHC string, which contains the salt. For a stranger by default. */
  hash(password: string, hashedFor?: HashedFor): Promise<string>
  /** Return whether `password` matches `hash`. Without a hash, return false after the same time. */
  verify(hash: string | undefined, password: string, hashedFor?: HashedFor): Promise<boolean>
}

/**
 * Return a function that runs a hash when a place is free. A hash takes 30 ms of a processor, so a flood of
 * wrong sign-ins waits for places of its own, and those who are known pass it. `pauseMs` follows each hash of a
 * stranger, in which the processor answers others.
 */
export function createHashPlaces(running: number, pauseMs: number) {
  let strangersEndedAt = 0
  const takers = {
    known: sharePlaces({ running, waiting: 100, maxWaitMs: 8000, maxHoldMs: 2000 }),
    stranger: sharePlaces({
      running: Math.max(1, running - 1),
      waiting: 100,
      maxWaitMs: 8000,
      maxHoldMs: 2000,
    }),
  }
  return async <T>(hashedFor: HashedFor, hash: () => T | Promise<T>): Promise<T> => {
    const leave = await takers[hashedFor](hashedFor)
    try {
      if (hashedFor === 'stranger') await waitUntil(strangersEndedAt + pauseMs)
      return await hash()
    } finally {
      if (hashedFor === 'stranger') strangersEndedAt = Date.now()
      leave()
    }
  }
}

async function waitUntil(time: number): Promise<void> {
  const ms = time - Date.now()
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * Return a password in the form that is hashed. Keyboards write "ü" as one character or as two, and
 * full-width letters:
 * https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver asks for NFKC or NFKD. There are no hashes of other forms.
 */
export function normalisePassword(password: string): string {
  return password.normalize('NFKC')
}

/** OWASP's second choice for argon2id: 19 MiB, two passes, one lane. */
export const argon2Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, hashLength: 32 }

/**
 * Return whether `hash` was made with another algorithm or cost than new hashes.
 * https://github.com/P-H-C/phc-string-format
 */
export function isOutdatedHash(hash: string): boolean {
  const { memoryCost, timeCost, parallelism } = argon2Cost
  return !hash.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
}

/** Return why a password is too easy to guess, or null. The schema checks the length. */
export function findPasswordWeakness(password: string, email: string): string | null {
  const lower = password.toLowerCase()
  const [name = ''] = email.toLowerCase().split('@')
  if (lower.includes(email.toLowerCase()) || (name.length >= 4 && lower.includes(name)))
    return 'must not contain the e-mail address'
  if (commonPasswords.has(lower)) return 'must not be a common password'
  return null
}
