import Argon2, { Argon2Type } from '@phi-ag/argon2'
import wasm from '@phi-ag/argon2/argon2.wasm'
import { commonPasswords } from './common-passwords.ts'

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane.
const argon2Options = { type: Argon2Type.Argon2id, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, hashLength: 32 }

let instance: Promise<Argon2> | undefined

function loadArgon2(): Promise<Argon2> {
  instance ??= instantiate()
  return instance
}

// Workers refuse to compile wasm at run time, so the module is imported and compiled at deployment.
async function instantiate(): Promise<Argon2> {
  return new Argon2(await WebAssembly.instantiate(wasm))
}

/** Hash with argon2id. Return the PHC string, which contains the salt. */
export async function hashPassword(password: string): Promise<string> {
  return (await loadArgon2()).hash(password, argon2Options).encoded
}

// Verified for unknown addresses, so that the answer takes as long as for known ones.
let decoyHash: Promise<string> | undefined

/** Return whether `password` matches `hash`. Without a hash, return false after the same time. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  decoyHash ??= hashPassword(crypto.randomUUID())
  const result = (await loadArgon2()).tryVerify(hash ?? (await decoyHash), password)
  return hash !== undefined && result.success
}

/** Return why a password is too easy to guess, or null. The schema checks the length. */
export function findPasswordWeakness(password: string, email: string): string | null {
  const lower = password.toLowerCase()
  const [name = ''] = email.toLowerCase().split('@')
  if (lower.includes(email.toLowerCase()) || (name.length >= 4 && lower.includes(name))) return 'must not contain the e-mail address'
  if (commonPasswords.has(lower)) return 'must not be a common password'
  return null
}
