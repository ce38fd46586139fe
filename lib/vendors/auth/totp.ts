import { Secret, TOTP } from 'otpauth'

const periodSeconds = 30
const issuer = 'Support Flow'

// SHA-1, six digits and 30 s are what every authenticator app supports.
// https://datatracker.ietf.org/doc/html/rfc6238
function createTotp(secret: string, label = ''): TOTP {
  return new TOTP({
    issuer,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: periodSeconds,
    secret: Secret.fromBase32(secret),
  })
}

/** Create a secret of 160 bits, in base32. */
export function createTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** Return the address that authenticator apps read from a QR code. */
export function buildTotpUrl(secret: string, email: string): string {
  return createTotp(secret, email).toString()
}

/**
 * Return the time step of a code, or null for a wrong one. Accept the steps before and after `seconds`, the
 * time since 1970.
 */
export function findTotpStep(secret: string, code: string, seconds: number): number | null {
  const delta = createTotp(secret).validate({ token: code, timestamp: seconds * 1000, window: 1 })
  return delta === null ? null : Math.floor(seconds / periodSeconds) + delta
}

/** Return the code at a time in seconds since 1970. */
export function generateTotpCode(secret: string, seconds: number): string {
  return createTotp(secret).generate({ timestamp: seconds * 1000 })
}
