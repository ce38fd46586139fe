import Argon2, { Argon2Type } from '@phi-ag/argon2'
import wasm from '@phi-ag/argon2/argon2.wasm'
import { common } from './common-passwords.ts'

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane.
const cost = { type: Argon2Type.Argon2id, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, hashLength: 32 }

let instance: Promise<Argon2> | undefined

function argon2(): Promise<Argon2> {
  instance ??= instantiate()
  return instance
}

// Wasm compiled at run time is refused in production, so it comes compiled with the bundle.
async function instantiate(): Promise<Argon2> {
  return new Argon2(await WebAssembly.instantiate(wasm))
}

/** argon2id in PHC text, with its salt. */
export async function hashPassword(password: string): Promise<string> {
  return (await argon2()).hash(password, cost).encoded
}

// Something to compare with for an address nobody has, so that the answer takes as long.
let decoy: Promise<string> | undefined

/** Whether `password` is the one `hash` was made of; without a hash it takes the same time and says no. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword(crypto.randomUUID())
  const result = (await argon2()).tryVerify(hash ?? (await decoy), password)
  return hash !== undefined && result.success
}

/** Why a password is refused, or null: the length is the schema's, this is what a guesser tries first. */
export function weakness(password: string, email: string): string | null {
  const lower = password.toLowerCase()
  const [name = ''] = email.toLowerCase().split('@')
  if (lower.includes(email.toLowerCase()) || (name.length >= 4 && lower.includes(name))) return 'The password contains the address'
  if (common.has(lower)) return 'The password is among the commonest'
  return null
}
