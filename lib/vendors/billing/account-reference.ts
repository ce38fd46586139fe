import { base64url } from 'jose'
import { loadOnce } from '#async/load-once.ts'
import type { Config } from '#config.ts'

/** Texts that name an account to the billing provider, and that nobody else can make. */
export interface AccountReferences {
  /**
   * Return the reference of an account: 80 letters, digits, `-` and `_`. Stripe accepts up to 200 as
   * `client_reference_id`.
   */
  sign(accountId: string): Promise<string>
  /** Return the account of a reference, or null if it is not ours. */
  verify(reference: string): Promise<string | null>
}

const pattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([\w-]{43})$/
const encoder = new TextEncoder()

/**
 * Create and verify references with HMAC-SHA256. Everybody can put any `client_reference_id` into the address
 * of a checkout, so a plain account id would let a customer tie a subscription to the account of somebody
 * else. The first key signs and every key verifies.
 */
export function createAccountReferences(keys: Config['JWT_KEYS']): AccountReferences {
  const importedKeys = keys.map(({ secret }) => loadOnce(() => importKey(secret)))
  return {
    async sign(accountId) {
      const [loadKey] = importedKeys
      if (!loadKey) throw new Error('There is no key')
      const signature = await crypto.subtle.sign('HMAC', await loadKey(), toMessage(accountId))
      return `${accountId}_${base64url.encode(new Uint8Array(signature))}`
    },
    async verify(reference) {
      const [, accountId = '', signature = ''] = pattern.exec(reference) ?? []
      if (!accountId) return null
      const bytes = base64url.decode(signature) as Uint8Array<ArrayBuffer>
      for (const loadKey of importedKeys)
        if (await crypto.subtle.verify('HMAC', await loadKey(), bytes, toMessage(accountId))) return accountId
      return null
    },
  }
}

function importKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
}

/** The same keys sign access tokens, so the message says what it is for. */
function toMessage(accountId: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`billing account ${accountId}`)
}
