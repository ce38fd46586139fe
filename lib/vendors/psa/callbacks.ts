import * as z from 'zod'
import { decodeBase64 } from '#rules/text/bytes.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { toApiRoot } from './connectwise-address.ts'
import { createPsaHttp } from './http.ts'
import { PsaError, ticketIdPattern } from './psa.ts'
import { parseAnswer } from './wire.ts'

// What the providers send when a ticket changes. Only the ticket's id is used: its state is read from the
// provider.

const maxTickets = 100
const TicketNumber = z.union([z.int(), z.string()]).transform(String).pipe(z.string().regex(ticketIdPattern))

/** A callback of ConnectWise, see https://developer.connectwise.com/Best_Practices/PSA_Callbacks. */
const ConnectWiseCallback = z.object({
  ID: TicketNumber,
  Type: z.string(),
  CompanyId: z.string(),
  Metadata: z.object({ key_url: z.url() }),
})
const HaloItem = z.union([
  z.object({ ticket: z.object({ id: TicketNumber }) }).transform(({ ticket }) => ticket.id),
  z.object({ object_id: TicketNumber }).transform((item) => item.object_id),
])

/**
 * Return the tickets that a webhook of HaloPSA names. It sends one event, or a list of them when it is set to
 * batches.
 */
export function parseHaloTickets(body: unknown): string[] {
  const items = Array.isArray(body) ? body.slice(0, maxTickets) : [body]
  return [...new Set(items.flatMap((item) => HaloItem.safeParse(item).data ?? []))]
}

interface SignedCallback {
  bytes: Uint8Array<ArrayBuffer>
  body: unknown
  /** The header `x-content-signature`. */
  signature: string | null
}
interface CallbackSender {
  accountId: string
  baseUrl: string
  companyId: string
}

/**
 * Return the tickets that a callback of ConnectWise names, or null when it is not signed by the system at
 * `baseUrl` for this company. Throw PsaError when the key cannot be read.
 */
export async function readConnectWiseTickets(
  callback: SignedCallback,
  sender: CallbackSender,
  guard: OutboundGuard,
): Promise<string[] | null> {
  const { data } = ConnectWiseCallback.safeParse(callback.body)
  if (!data || callback.signature === null) return null
  if (data.CompanyId.toLowerCase() !== sender.companyId.toLowerCase()) return null
  // Security: the body names the address of the key, so only addresses of the connected system are read.
  const keyUrl = new URL(data.Metadata.key_url)
  if (![new URL(sender.baseUrl).origin, new URL(toApiRoot(sender.baseUrl)).origin].includes(keyUrl.origin))
    return null
  if (
    !(await isSignedBySystem(sender, keyUrl, { bytes: callback.bytes, signature: callback.signature }, guard))
  )
    return null
  return data.Type.toLowerCase() === 'ticket' ? [data.ID] : []
}

/**
 * Check the signature with the key at an address of the system. Remember a key that has verified a callback.
 */
async function isSignedBySystem(
  { accountId }: CallbackSender,
  { href, origin }: URL,
  { bytes, signature }: { bytes: Uint8Array<ArrayBuffer>; signature: string },
  guard: OutboundGuard,
): Promise<boolean> {
  const known = keys.get(accountId)
  if (known?.href === href && (await isSignedBy(known.key, bytes, signature))) return true
  countRead(accountId)
  const answer = await createPsaHttp([origin], guard)({ url: href }).catch(ignoreMissingKey)
  if (answer === null) return false
  const { signing_key: key } = parseAnswer(SigningKey, answer)
  if (!(await isSignedBy(key, bytes, signature))) return false
  if (keys.size >= maxAccounts) keys.clear()
  keys.set(accountId, { href, key })
  return true
}

/**
 * Return null for an address at which the system has no public key. Everything else may work later, so the
 * sender should try again.
 */
function ignoreMissingKey(error: unknown): null {
  if (error instanceof PsaError && ['auth', 'forbidden', 'missing'].includes(error.kind)) return null
  throw error
}

const SigningKey = z.object({ signing_key: z.string().min(16) })
const maxAccounts = 500
const maxReadsPerMinute = 40
/** The last verified key of each account in this process. */
const keys = new Map<string, { href: string; key: string }>()
const reads = new Map<string, { since: number; count: number }>()

/**
 * Count the read of a key. Whoever knows the address of the callbacks can cause reads from the connected
 * system, so they are limited.
 */
function countRead(accountId: string): void {
  const now = Date.now()
  const counted = reads.get(accountId)
  const window = counted && now - counted.since < 60_000 ? counted : { since: now, count: 0 }
  if (window.count >= maxReadsPerMinute)
    throw new PsaError('rate_limit', 'Too many callbacks had another key than the last one', {
      retryAfterSeconds: 60,
    })
  if (reads.size >= maxAccounts) reads.clear()
  reads.set(accountId, { ...window, count: window.count + 1 })
}

/** The signature is the HMAC-SHA256 of the body in base64. Its key is the SHA-256 of the signing key. */
async function isSignedBy(
  signingKey: string,
  bytes: Uint8Array<ArrayBuffer>,
  signature: string,
): Promise<boolean> {
  const keyBytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(signingKey))
  const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  return isDigest.test(signature) && crypto.subtle.verify('HMAC', key, decodeBase64(signature), bytes)
}

/** 32 bytes in base64. */
const isDigest = /^[A-Za-z0-9+/]{43}=$/

/** The name with which HaloPSA signs in to send webhooks. */
export const haloUserName = 'support-flow'

/** Return the password of an `Authorization` header with basic authentication, or null. */
export function parseBasicPassword(header: string | null): string | null {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/]{1,400}={0,2})$/i.exec(header ?? '') ?? []
  try {
    const text = atob(encoded)
    return text.startsWith(`${haloUserName}:`) ? text.slice(haloUserName.length + 1) : null
  } catch {
    return null
  }
}
