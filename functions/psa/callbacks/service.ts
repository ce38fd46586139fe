import * as connection from '#functions/psa/connection/service.ts'
import type { Context, ReadContext, WriteContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { parseJson } from '#rules/text/json.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import {
  haloUserName,
  parseBasicPassword,
  parseHaloTickets,
  readConnectWiseTickets,
} from '#vendors/psa/callbacks.ts'
import type { Provider } from '#vendors/psa/psa.ts'
import * as queries from './queries.ts'
import type { CallbackAddress, CallbackParams, CallbackSettings } from './schemas.ts'

const maxCallsPerMinute = 600

export async function get({ db }: ReadContext): Promise<CallbackSettings> {
  const row = await queries.selectCallbacks(db)
  return { is_enabled: row !== undefined, last_received_at: row?.last_received_at ?? null }
}

/** Create an address, which replaces the earlier one. Only hashes of its secrets are stored. */
export async function enable({ db, config }: WriteContext): Promise<CallbackAddress> {
  const { id, provider } = await connection.requireActive({ db })
  const [token, password] = [randomToken(), randomToken()]
  await queries.saveCallbacks.run(db, id, await sha256Bytea(token), await sha256Bytea(password))
  const url = `${config.PUBLIC_BASE_URL}/api/v1/psa/callbacks/${provider}/${token}`
  switch (provider) {
    case 'connectwise':
      return { url, username: null, password: null }
    case 'halopsa':
      return { url, username: haloUserName, password }
  }
}

export function disable({ db }: WriteContext): Promise<void> {
  return queries.deleteCallbacks(db)
}

type ReceiveContext = Pick<Context<'post', 'signed', 'reason'>, 'platform' | 'guard'>

/**
 * Check who sent a callback, and queue the tickets that it names. A replayed callback only has the ticket
 * read again. Throw 404 for an unknown address, 400 for a wrong signature or password, 429, and 502 when the
 * key of the signature cannot be read.
 */
export async function receive(
  ctx: ReceiveContext,
  { provider, token }: CallbackParams,
  body: RawBody,
): Promise<{ queued: number }> {
  const password = parseBasicPassword(body.headers.get('authorization')) ?? ''
  const address = await queries.selectAddress.first(
    ctx.platform,
    provider,
    await sha256Bytea(token),
    await sha256Bytea(password),
  )
  if (!address) throw notFound('Callback address')
  const ticketIds = await readTickets[provider](ctx, address, body)
  if (!(await queries.countCallback.first(ctx.platform, address.account_id, maxCallsPerMinute)))
    throw new Problem('rate_limited', undefined, { headers: { 'retry-after': '60' } })
  const inserted =
    ticketIds.length > 0 ? await queries.insertChanges.all(ctx.platform, address.account_id, ticketIds) : []
  for (const { id } of inserted) ctx.platform.outbox({ kind: 'ticket_change', id, attempt: 1 })
  return { queued: inserted.length }
}

const readTickets: Record<Provider, typeof readSignedTickets> = {
  connectwise: readSignedTickets,
  halopsa: async (_, address, body) => readHaloTickets(address, body),
}

async function readSignedTickets(
  { guard }: ReceiveContext,
  { account_id, base_url, identity }: queries.CallbackAddress,
  { bytes, headers }: RawBody,
): Promise<string[]> {
  const callback = { bytes, body: parseBody(bytes), signature: headers.get('x-content-signature') }
  const sender = { accountId: account_id, baseUrl: base_url, companyId: identity.company_id ?? '' }
  const ticketIds = await readConnectWiseTickets(callback, sender, guard).catch((error: unknown) => {
    throw connection.toProblem(error)
  })
  if (!ticketIds) throw new Problem('invalid_signature')
  return ticketIds
}

function readHaloTickets({ is_password_right }: queries.CallbackAddress, { bytes }: RawBody): string[] {
  if (!is_password_right) throw new Problem('invalid_signature')
  return parseHaloTickets(parseBody(bytes))
}

/** Parse a body. What is not JSON names no ticket. */
function parseBody(bytes: Uint8Array): unknown {
  return parseJson(new TextDecoder().decode(bytes))
}
