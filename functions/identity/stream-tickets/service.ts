import type { Context } from '#http/operation.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import * as queries from './queries.ts'

const ticketSeconds = 60

/** Create a ticket that opens one event stream of the caller. */
export async function create({ platform, caller }: Context<'post', 'user', string>) {
  const ticket = randomToken()
  await queries.insertTicket.run(platform, await sha256Bytea(ticket), caller.signInId, ticketSeconds)
  return { ticket, expires_in: ticketSeconds }
}
