import { base64url, SignJWT } from 'jose'
import { loadOnce } from '#async/load-once.ts'

/** Says to a push service who sends: https://www.rfc-editor.org/rfc/rfc8292 */
export interface VapidSigner {
  /** Return the public key: 65 bytes, base64url. */
  getPublicKey(): Promise<string>
  /** Return the value of the header `Authorization` for an endpoint. */
  authorize(endpoint: string): Promise<string>
}

/** What precedes the 32 bytes of a key of P-256 in PKCS #8: https://www.rfc-editor.org/rfc/rfc5915#section-3 */
const pkcs8Prefix = [
  0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08,
  0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
]

/** At most 24 hours are allowed; clocks differ. */
const lifetime = '12 hours'

/** Create a signer. `privateKey` is 32 bytes, base64url. `contact` is a `mailto:` or `https:` address of the operator. */
export function createVapidSigner(privateKey: string, contact: string): VapidSigner {
  const load = loadOnce(async () => {
    const pkcs8 = new Uint8Array([...pkcs8Prefix, ...base64url.decode(privateKey)])
    const key = await crypto.subtle.importKey('pkcs8', pkcs8, { name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
    ])
    const { x = '', y = '' } = (await crypto.subtle.exportKey('jwk', key)) as JsonWebKey
    const publicKey = base64url.encode(new Uint8Array([4, ...base64url.decode(x), ...base64url.decode(y)]))
    return { key, publicKey }
  })
  return {
    getPublicKey: async () => (await load()).publicKey,
    async authorize(endpoint) {
      const { key, publicKey } = await load()
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
        .setAudience(new URL(endpoint).origin)
        .setSubject(contact)
        .setExpirationTime(lifetime)
        .sign(key)
      return `vapid t=${token}, k=${publicKey}`
    },
  }
}
