import Argon2, { Argon2Type } from '@phi-ag/argon2'
import wasm from '@phi-ag/argon2/argon2.wasm'
import { loadOnce } from '#async/load-once.ts'
import { argon2Cost, normalisePassword, type PasswordHasher } from '#vendors/auth/passwords.ts'

const options = { type: Argon2Type.Argon2id, ...argon2Cost }

/**
 * Create a hasher that runs argon2 as WebAssembly. Workers refuse to compile wasm at run time, so the module
 * is compiled at deployment.
 */
export function wasmPasswords(compiled: WebAssembly.Module = wasm): PasswordHasher {
  const loadArgon2 = loadOnce(async () => new Argon2(await WebAssembly.instantiate(compiled)))
  const hash = async (password: string) =>
    (await loadArgon2()).hash(padToByteLength(normalisePassword(password)), options).encoded
  // Verified for unknown addresses, so that the answer takes as long as for known ones.
  const loadDecoyHash = loadOnce(() => hash(crypto.randomUUID()))
  return {
    hash,
    async verify(stored, password) {
      const decoyHash = await loadDecoyHash()
      const result = (await loadArgon2()).tryVerify(
        stored ?? decoyHash,
        padToByteLength(normalisePassword(password)),
      )
      return stored !== undefined && result.success
    },
  }
}

/**
 * Append zeros until the text has as many UTF-16 units as the password has bytes. The library hashes as many
 * bytes as the text has units, so the end of a password with letters outside ASCII would not count.
 */
function padToByteLength(password: string): string {
  return password.padEnd(new TextEncoder().encode(password).length, '\0')
}
