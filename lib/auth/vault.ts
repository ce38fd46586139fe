import { base64url } from 'jose'

/** Keeps secrets that must be read again: sealed under a versioned key, and bound to what they belong to. */
export interface Vault {
  /** `context` names the owner; only the same text opens it again. */
  seal(secret: string, context: string): Promise<string>
  /** Throws for another context, a key that is gone, or a text that was touched. */
  open(sealed: string, context: string): Promise<string>
}

export interface VaultKey {
  version: number
  /** 32 bytes, base64. */
  key: string
}

const encoder = new TextEncoder()

/** AES-256-GCM with a fresh 96-bit nonce each time. The first key seals, every key opens. A sealed text is `version.nonce.ciphertext`. */
export function createVault(keys: readonly VaultKey[]): Vault {
  const imported = new Map(keys.map(({ version, key }) => [String(version), importKey(key)]))
  const keyOf = (version: string) => imported.get(version) ?? Promise.reject(new Error(`No credentials key of version ${version}`))
  const sealing = String(keys[0]?.version)
  return {
    async seal(secret, context) {
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const sealed = await crypto.subtle.encrypt(how(iv, context), await keyOf(sealing), encoder.encode(secret))
      return [sealing, base64url.encode(iv), base64url.encode(new Uint8Array(sealed))].join('.')
    },
    async open(text, context) {
      const [version = '', iv = '', sealed = ''] = text.split('.')
      const opened = await crypto.subtle.decrypt(how(base64url.decode(iv), context), await keyOf(version), bytes(sealed))
      return new TextDecoder().decode(opened)
    },
  }
}

function how(iv: Uint8Array, context: string) {
  return { name: 'AES-GCM', iv: new Uint8Array(iv), additionalData: encoder.encode(context) }
}

const bytes = (text: string) => new Uint8Array(base64url.decode(text))

async function importKey(key: string): Promise<CryptoKey> {
  const raw = Uint8Array.from(atob(key), (char) => char.charCodeAt(0))
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
