import { jwtVerify } from 'jose'
import { sha256Base64url } from '#vendors/auth/hash.ts'

// Between the clocks of QStash and of this machine. A repeated message does nothing, so a wide tolerance is
// safe.
const clockToleranceSeconds = 60

/**
 * Whether QStash signed this request: HS256 with one of the keys, for exactly this address and body, not
 * expired. QStash's own Receiver is less strict: it accepts HS512 and any address. A repeated request passes;
 * the row it names makes it idempotent.
 */
export async function verifySignature(
  token: string | undefined,
  body: string,
  url: string,
  keys: readonly string[],
): Promise<boolean> {
  if (!token) return false
  const hash = await sha256Base64url(body)
  for (const key of keys) {
    const claims = await jwtVerify(token, new TextEncoder().encode(key), {
      algorithms: ['HS256'],
      issuer: 'Upstash',
      subject: url,
      requiredClaims: ['exp', 'nbf'],
      clockTolerance: clockToleranceSeconds,
    }).then(
      ({ payload }) => payload,
      () => null,
    )
    if (claims && String(claims.body).replace(/(?<!=)=+$/, '') === hash) return true
  }
  return false
}
