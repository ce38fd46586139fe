import { jwtVerify } from 'jose'
import { sha256Base64url } from '../auth/hash.ts'

/**
 * Whether a call is the queue's own: HS256 by one of the keys, for exactly this address and body, and not expired. Stricter than QStash's
 * Receiver, which takes HS512 and any address. A repeated call passes: what it asks for is done once by the rows it names.
 */
export async function verifySignature(token: string | undefined, body: string, url: string, keys: readonly string[]): Promise<boolean> {
  if (!token) return false
  const hash = await sha256Base64url(body)
  for (const key of keys) {
    const claims = await jwtVerify(token, new TextEncoder().encode(key), {
      algorithms: ['HS256'],
      issuer: 'Upstash',
      subject: url,
      requiredClaims: ['exp', 'nbf'],
      clockTolerance: 5,
    }).then(
      ({ payload }) => payload,
      () => null,
    )
    if (claims && String(claims.body).replace(/=+$/, '') === hash) return true
  }
  return false
}
