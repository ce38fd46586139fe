import { decodeBase64, encodeBase64 } from '#rules/text/bytes.ts'

const secretPrefix = 'whsec_'
// The specification asks for 24 to 64 bytes.
const secretBytes = 32

/** Create a signing secret: `whsec_` and 32 random bytes as base64. */
export function createWebhookSecret(): string {
  return secretPrefix + encodeBase64(crypto.getRandomValues(new Uint8Array(secretBytes)))
}

/** What a signature covers. `timestamp` is the Unix time of the attempt in seconds. */
export interface SignedContent {
  id: string
  timestamp: number
  payload: string
}

/**
 * Return the header `webhook-signature` with one signature per secret:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function signWebhook(
  { id, timestamp, payload }: SignedContent,
  secrets: readonly string[],
): Promise<string> {
  const content = new TextEncoder().encode(`${id}.${timestamp}.${payload}`)
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, content)))
  return signatures.map((signature) => `v1,${signature}`).join(' ')
}

async function sign(secret: string, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = decodeBase64(secret.slice(secretPrefix.length))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return encodeBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, content)))
}
