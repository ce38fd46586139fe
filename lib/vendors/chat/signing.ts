import type { Vault } from '#vendors/auth/vault.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'

const toContext = (accountId: string) => `chat:${accountId}`

/** Encrypt the signing secret of a chat tool for storage. It can be decrypted only for the same account. */
export function sealSigningSecret(vault: Vault, accountId: string, secret: string): Promise<string> {
  return vault.seal(secret, toContext(accountId))
}

/** Decrypt a signing secret. Use it for one signature only, and never log it. */
export function openSigningSecret(vault: Vault, accountId: string, sealed: string): Promise<string> {
  return vault.open(sealed, toContext(accountId))
}

const toleranceSeconds = 5 * 60
const encoder = new TextEncoder()

/**
 * Whether Slack signed a body within the last 5 minutes:
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export async function isSignedBySlack({ bytes, headers }: RawBody, secret: string): Promise<boolean> {
  const timestamp = headers.get('x-slack-request-timestamp') ?? ''
  const isRecent =
    /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds
  const signature = readHex(headers.get('x-slack-signature'))
  const key = await importKey(secret)
  const prefix = encoder.encode(`v0:${timestamp}:`)
  const signed = new Uint8Array(prefix.length + bytes.length)
  signed.set(prefix)
  signed.set(bytes, prefix.length)
  return (await crypto.subtle.verify('HMAC', key, signature, signed)) && isRecent
}

/** Return the signature of a header, or one that no body has. */
function readHex(header: string | null): Uint8Array<ArrayBuffer> {
  const digits = /^v0=([0-9a-f]{64})$/.exec(header ?? '')?.[1] ?? ''
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function importKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
}
