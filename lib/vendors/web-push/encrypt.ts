import { base64url } from 'jose'
import type { BrowserSubscription } from './web-push.ts'

// Our own, because no library does it on both platforms: `web-push` needs Node's crypto and https, `@pushforge/builder` 2.0.5
// encrypts by a draft (aesgcm) that Apple does not take, and `@block65/webcrypto-web-push` 2.0.0 chooses the key and the salt
// itself, so that the example of the RFC cannot be its test.

const curve = { name: 'ECDH', namedCurve: 'P-256' } as const
const encoder = new TextEncoder()
/** The size of a record: the largest body that every push service takes (RFC 8030, section 7.2). */
const recordSize = 4096
/** What fits into it besides the header of 86 bytes, the end of the text and the tag (RFC 8291, section 4). */
export const maxPlaintextBytes = recordSize - 86 - 1 - 16

export const createMessageKey = () =>
  crypto.subtle.generateKey(curve, true, ['deriveBits']) as Promise<CryptoKeyPair>

const importBrowserKey = (p256dh: string) => crypto.subtle.importKey('raw', toBytes(p256dh), curve, false, [])

/** Whether a text is a public key: a point of the curve. */
export const isBrowserKey = (p256dh: string): Promise<boolean> =>
  importBrowserKey(p256dh).then(
    () => true,
    () => false,
  )

/**
 * Encrypt a text for a browser: RFC 8291, with the encoding aes128gcm of RFC 8188 in one record. `keys` and `salt` (16 bytes) are for
 * this message alone. https://www.rfc-editor.org/rfc/rfc8291#section-3.4
 */
export async function encryptFor(
  { p256dh, auth }: Pick<BrowserSubscription, 'p256dh' | 'auth'>,
  plaintext: Uint8Array,
  keys: CryptoKeyPair,
  salt: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const [browserKey, ownKey] = [toBytes(p256dh), await exportPublic(keys.publicKey)]
  const secret = await crypto.subtle.deriveBits(
    { name: 'ECDH', public: await importBrowserKey(p256dh) },
    keys.privateKey,
    256,
  )
  const input = await derive(
    secret,
    toBytes(auth),
    join(encoder.encode('WebPush: info\0'), browserKey, ownKey),
    32,
  )
  const [contentKey, nonce] = [
    await derive(input, salt, encoder.encode('Content-Encoding: aes128gcm\0'), 16),
    await derive(input, salt, encoder.encode('Content-Encoding: nonce\0'), 12),
  ]
  const cipher = await crypto.subtle.importKey('raw', contentKey, 'AES-GCM', false, ['encrypt'])
  // 2 ends the last record.
  const text = join(plaintext, Uint8Array.of(2))
  const encrypted = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, cipher, text)
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, recordSize)
  return join(salt, size, Uint8Array.of(ownKey.length), ownKey, new Uint8Array(encrypted))
}

async function derive(
  key: ArrayBuffer,
  salt: Uint8Array<ArrayBuffer>,
  info: Uint8Array<ArrayBuffer>,
  bytes: number,
): Promise<ArrayBuffer> {
  const imported = await crypto.subtle.importKey('raw', key, 'HKDF', false, ['deriveBits'])
  return crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, imported, bytes * 8)
}

const exportPublic = async (key: CryptoKey) =>
  new Uint8Array((await crypto.subtle.exportKey('raw', key)) as ArrayBuffer)

const toBytes = (text: string) => new Uint8Array(base64url.decode(text))

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let place = 0
  for (const part of parts) {
    joined.set(part, place)
    place += part.length
  }
  return joined
}
