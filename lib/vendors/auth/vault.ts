import { base64url } from 'jose'
import { loadOnce } from '#async/load-once.ts'
import { decodeBase64 } from '#rules/text/bytes.ts'

/** Encrypts secrets that must be read again, with a versioned key. Each is bound to its owner. */
export interface Vault {
  /** Encrypt a secret. `context` names the owner; the same text is needed to open it. */
  seal(secret: string, context: string): Promise<string>
  /** Decrypt a secret. Throw for another context, a missing key or a changed text. */
  open(sealed: string, context: string): Promise<string>
}

export interface VaultKey {
  version: number
  /** 32 bytes, base64. */
  key: string
}

const encoder = new TextEncoder()

/**
 * Create a vault with AES-256-GCM and a random 96-bit nonce per secret. The first key seals, every key opens.
 * Sealed text: `version.nonce.ciphertext`.
 */
export function createVault(keys: readonly VaultKey[]): Vault {
  const imported = new Map(keys.map(({ version, key }) => [String(version), loadOnce(() => importKey(key))]))
  const keyOf = (version: string) =>
    imported.get(version)?.() ?? Promise.reject(new Error(`No credentials key of version ${version}`))
  const sealingVersion = String(keys[0]?.version)
  return {
    async seal(secret, context) {
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const ciphertext = await crypto.subtle.encrypt(
        cipherOptions(iv, context),
        await keyOf(sealingVersion),
        encoder.encode(secret),
      )
      return [sealingVersion, base64url.encode(iv), base64url.encode(new Uint8Array(ciphertext))].join('.')
    },
    async open(text, context) {
      const [version = '', iv = '', sealed = ''] = text.split('.')
      const plaintext = await crypto.subtle.decrypt(
        cipherOptions(base64url.decode(iv), context),
        await keyOf(version),
        bytes(sealed),
      )
      return new TextDecoder().decode(plaintext)
    },
  }
}

function cipherOptions(iv: Uint8Array, context: string) {
  return { name: 'AES-GCM', iv: new Uint8Array(iv), additionalData: encoder.encode(context) }
}

const bytes = (text: string) => new Uint8Array(base64url.decode(text))

async function importKey(key: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', decodeBase64(key), 'AES-GCM', false, ['encrypt', 'decrypt'])
}
