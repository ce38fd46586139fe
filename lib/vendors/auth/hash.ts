import { base64url } from 'jose'

async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.digest('SHA-256', typeof data === 'string' ? new TextEncoder().encode(data) : data),
  )
}

/** Hash with SHA-256. Return 64 hexadecimal digits. */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  return Array.from(await sha256(data), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Hash with SHA-256. Return PostgreSQL's text form of a bytea. */
export async function sha256Bytea(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  return `\\x${await sha256Hex(data)}`
}

/** Hash with SHA-256. Return base64url. */
export async function sha256Base64url(text: string): Promise<string> {
  return base64url.encode(await sha256(text))
}

/** Create a random 256-bit token as URL-safe text, for refresh tokens and links in mails. */
export function randomToken(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}

/** Return a strong ETag of a text, with its quotes. */
export async function createEtag(text: string): Promise<string> {
  return `"${(await sha256Base64url(text)).slice(0, 22)}"`
}
