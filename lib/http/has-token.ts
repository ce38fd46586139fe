import { sha256Base64url } from '#vendors/auth/hash.ts'

/**
 * Return whether a header is `Bearer` and the token. Hashes are compared, so that the time does not depend on
 * how much of it is right.
 */
export async function hasToken(header: string | undefined, token: string): Promise<boolean> {
  return (await sha256Base64url(header ?? '')) === (await sha256Base64url(`Bearer ${token}`))
}
