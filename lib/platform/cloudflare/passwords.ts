import Argon2, { Argon2Type } from '@phi-ag/argon2'
import wasm from '@phi-ag/argon2/argon2.wasm'
import { loadOnce } from '#async/load-once.ts'
import {
  argon2Cost,
  createHashPlaces,
  type HashedFor,
  normalisePassword,
  type PasswordHasher,
} from '#vendors/auth/passwords.ts'

const options = { type: Argon2Type.Argon2id, ...argon2Cost }

/**
 * Create a hasher that runs argon2 as WebAssembly. Workers refuse to compile wasm at run time, so the module
 * is compiled at deployment.
 */
export function wasmPasswords(compiled: WebAssembly.Module = wasm): PasswordHasher {
  const loadArgon2 = loadOnce(async () => new Argon2(await WebAssembly.instantiate(compiled)))
  const runInPlace = createHashPlaces(1, 40)
  /** An isolate has one thread: requests that came before the hash are answered before it. */
  const runInTurn = <T>(hashedFor: HashedFor, run: (argon2: Argon2) => T) =>
    runInPlace(hashedFor, async () => {
      const argon2 = await loadArgon2()
      await new Promise((resolve) => setTimeout(resolve, 1))
      return run(argon2)
    })
  const toHash = (argon2: Argon2, password: string) =>
    argon2.hash(padToByteLength(normalisePassword(password)), options).encoded
  // Verified for unknown addresses, so that the answer takes as long as for known ones.
  const loadDecoyHash = loadOnce(async () => toHash(await loadArgon2(), crypto.randomUUID()))
  return {
    hash: (password, hashedFor = 'stranger') => runInTurn(hashedFor, (argon2) => toHash(argon2, password)),
    async verify(stored, password, hashedFor = 'stranger') {
      const decoyHash = await loadDecoyHash()
      const { success } = await runInTurn(hashedFor, (argon2) =>
        argon2.tryVerify(stored ?? decoyHash, padToByteLength(normalisePassword(password))),
      )
      return stored !== undefined && success
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
