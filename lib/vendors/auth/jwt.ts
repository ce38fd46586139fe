import { base64url, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { loadOnce } from '#async/load-once.ts'
import type { Config } from '#config.ts'

export type TokenSettings = Pick<Config, 'JWT_KEYS' | 'JWT_ISSUER' | 'JWT_AUDIENCE' | 'PUBLIC_BASE_URL'>

/** Signs and verifies the tokens of one audience, so that no token can be used for another purpose. */
export interface TokenSigner {
  /** Sign a token that is valid from `issuedAt` on, now by default. */
  sign(subject: string, claims: JWTPayload, lifetimeSeconds: number, issuedAt?: Date): Promise<string>
  /**
   * Return the claims of a token, or null when it is not ours, was changed, has expired or is for another
   * audience.
   */
  verify(token: string): Promise<JWTPayload | null>
  /** Derive 256 bits from a text, as base64url, which nobody can do without the key. */
  derive(text: string): Promise<string>
}

/**
 * Create a signer (HS256). The first key signs and every key verifies, so that keys can be rotated. `purpose`
 * extends the audience.
 */
export function createTokenSigner(settings: TokenSettings, purpose = ''): TokenSigner {
  const keys = settings.JWT_KEYS
  const importedKeys = new Map(keys.map(({ kid, secret }) => [kid, loadOnce(() => importKey(secret))]))
  const issuer = settings.JWT_ISSUER ?? settings.PUBLIC_BASE_URL
  const audience = (settings.JWT_AUDIENCE ?? `${settings.PUBLIC_BASE_URL}/api/v1`) + purpose
  const getKey = async ({ kid }: { kid?: string }) =>
    (await importedKeys.get(kid ?? '')?.()) ?? Promise.reject(new Error('unknown key'))
  const kid = keys[0]?.kid ?? ''
  return {
    async sign(subject, claims, lifetimeSeconds, issuedAt = new Date()) {
      const issuedSeconds = Math.floor(issuedAt.getTime() / 1000)
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT' })
        .setSubject(subject)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedSeconds)
        .setExpirationTime(issuedSeconds + lifetimeSeconds)
        .sign(await getKey({ kid }))
    },
    async derive(text) {
      // No token has a line break, so none of them is signed by this.
      const data = new TextEncoder().encode(`${audience}\n${text}`)
      return base64url.encode(new Uint8Array(await crypto.subtle.sign('HMAC', await getKey({ kid }), data)))
    },
    async verify(token) {
      try {
        return (
          await jwtVerify(token, getKey, {
            algorithms: ['HS256'],
            issuer,
            audience,
            requiredClaims: ['sub', 'exp'],
          })
        ).payload
      } catch {
        return null
      }
    },
  }
}

function importKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify'],
  )
}
