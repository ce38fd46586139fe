import { reconnectStream, useStreamTicket } from '#db/rows/stream-tickets.ts'
import { type Caller, openPlatformDb } from '#db/scope.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import type { C, Services } from './app.ts'
import { isSocketRequest } from './socket-request.ts'

/**
 * Return the caller of a ticket in the query, or null. A ticket opens one stream, whose event ids end with a
 * secret. An EventSource that reconnects repeats its URL and sends the last id, so it proves with the secret
 * that it received that stream.
 */
export async function authenticateTicket(c: C, { platform }: Services): Promise<Caller | null> {
  const ticket = c.req.query('ticket')
  if (!ticket || !/^[\w-]{43}$/.test(ticket) || isSocketRequest(c.req.raw)) return null
  const db = openPlatformDb(platform, 'the account is not known before the ticket', () => {})
  const { secret } = readLastEventId(c.req.raw)
  const reconnectSecret = secret ?? randomToken()
  const connect = secret === undefined ? useStreamTicket : reconnectStream
  const caller = await connect.first(db, await sha256Bytea(ticket), await sha256Bytea(reconnectSecret))
  if (!caller) return null
  c.set('reconnectSecret', reconnectSecret)
  return { userId: caller.user_id, accountId: caller.account_id, signInId: caller.sign_in_id }
}

/** Read the `Last-Event-ID` header: the id, and the secret after the dot of a stream that a ticket opened. */
export function readLastEventId({ headers }: Request): { id: string | null; secret: string | undefined } {
  const value = headers.get('last-event-id')
  const [, id = value, secret] = /^(\d{1,15})\.([\w-]{43})$/.exec(value ?? '') ?? []
  return { id, secret }
}
