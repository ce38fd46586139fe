import { loadOnce } from '#async/load-once.ts'
import type { Config } from '#config.ts'

/** A public key as a JSON Web Key: https://www.rfc-editor.org/rfc/rfc8037#section-2 */
export interface PublicKey {
  kty: 'OKP'
  crv: 'Ed25519'
  alg: 'Ed25519'
  use: 'sig'
  kid: string
  /** 32 bytes, base64url. */
  x: string
}

/** Signs what must be proved years later, without asking this service (Ed25519). */
export interface RecordSigner {
  /** The name of the key that signs. */
  keyId: string
  /** Return the signature: 64 bytes. */
  sign(content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  /** Return the public key of every key, that of the signing one first. */
  listKeys(): Promise<PublicKey[]>
}

/** Create a signer. The first key signs. */
export function createRecordSigner(keys: Config['RECORD_KEYS']): RecordSigner {
  const [signing] = keys
  const importSigningKey = loadOnce(() => importKey(signing.key, false))
  const listKeys = loadOnce(() =>
    Promise.all(
      keys.map(async (key) => ({
        ...({ kty: 'OKP', crv: 'Ed25519', alg: 'Ed25519', use: 'sig', kid: key.kid } as const),
        x: 'x' in key ? key.x : await derivePublicKey(key.key),
      })),
    ),
  )
  return {
    keyId: signing.kid,
    async sign(content) {
      return new Uint8Array(await crypto.subtle.sign('Ed25519', await importSigningKey(), content))
    },
    listKeys,
  }
}

/** Return the public key of a private one (32 bytes, base64), as base64url. */
export async function derivePublicKey(key: string): Promise<string> {
  const { x } = (await crypto.subtle.exportKey('jwk', await importKey(key, true))) as { x: string }
  return x
}

/** What precedes the 32 bytes of a key in PKCS #8: https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const pkcs8Prefix = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
]

function importKey(key: string, isExtractable: boolean): Promise<CryptoKey> {
  const seed = Array.from(atob(key), (character) => character.charCodeAt(0))
  const pkcs8 = new Uint8Array([...pkcs8Prefix, ...seed])
  return crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', isExtractable, ['sign'])
}
