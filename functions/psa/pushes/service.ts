import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { emit, publishDeliveries } from '../../../lib/events/outbox.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import type { Sent } from '../../../lib/net/sent.ts'
import { Problem } from '../../../lib/problem.ts'
import { PsaError, type PsaPort, ticketIdOf } from '../../../lib/psa/psa.ts'
import { publishPushes, pushMessage, queuePush } from '../../../lib/psa/pushes.ts'
import { neverReported, nextDelay, republish } from '../../../lib/queue/attempts.ts'
import * as exports from '../../sessions/exports/service.ts'
import * as sessions from '../../sessions/sessions/service.ts'
import * as connection from '../connection/service.ts'
import * as psa from '../tickets/service.ts'
import * as queries from './queries.ts'
import type { Push, PushQuery } from './schemas.ts'

/** What an attempt needs of a job's context. */
export type Pusher = Pick<JobContext, 'platform' | 'account' | 'queue' | 'vault' | 'psa' | 'cache'>
type Pushed = { sent: Sent; noteId: string | null }

export async function list({ db }: Reader, query: PushQuery & PageQuery) {
  return toPage(await queries.selectPushes(db, query), query.limit)
}

/** Queues what a session came to as a note on its ticket. */
export async function pushSession({ db, after, queue }: Writer, sessionId: string, internal: boolean): Promise<Push> {
  const session = await sessions.findOwn(db, sessionId)
  const ticketId = ticketIdOf(session.ticket_number)
  if (!ticketId) throw new Problem('conflict', 'The session has no ticket number of the ticketing system', { code: 'no_ticket' })
  const push = { ticketId, body: await exports.ticketNote(db, sessionId), internal, sourceKind: 'session', sourceId: sessionId } as const
  const id = await queuePush(db, push)
  if (!id) throw connection.notConnected()
  after(() => publishPushes(queue, [id]))
  return find(db, id)
}

export async function retry({ db, after, queue }: Writer, id: string): Promise<Push> {
  const before = await find(db, id)
  if (!(await queries.reopenPush(db, id)))
    throw new Problem('conflict', `Only a failed note is tried again by hand; this one is ${before.state}`, { code: 'not_failed' })
  const push = await find(db, id)
  after(() => queue.publish([pushMessage(id, push.attempts + 1)]))
  return push
}

/** One attempt at a note. A copy of the message finds the attempt taken and does nothing. */
export async function attempt(ctx: Pusher, pushId: string, number: number): Promise<void> {
  const claimed = await queries.claimPush(ctx.platform, pushId, number)
  if (claimed) await finish(ctx, claimed, await pushOnce(ctx, claimed))
}

/** Every minute: what is due and was lost, and what a worker took for its last attempt and never reported of. */
export async function sweep(ctx: Pusher): Promise<void> {
  for (const lost of await queries.selectAbandoned(ctx.platform))
    await finish(ctx, lost, { sent: { ok: false, status: null, error: neverReported, gone: true }, noteId: null })
  await republish(ctx.queue, await queries.selectDue(ctx.platform, 100), pushMessage, (id, number) => attempt(ctx, id, number))
}

/** Records how an attempt ended, with the event that it was the last one, and asks for the next. */
async function finish(ctx: Pusher, claimed: queries.Claimed, { sent, noteId }: Pushed): Promise<void> {
  const delay = nextDelay(claimed, sent)
  const { recorded, deliveries } = await ctx.account(claimed.account_id).within(async (db) => {
    if (!(await queries.recordPush(db, claimed, sent, noteId, delay))) return { recorded: false, deliveries: [] }
    return { recorded: true, deliveries: sent.ok || delay !== null ? [] : await emit(db, failure(claimed, sent.error)) }
  })
  if (!recorded) return
  // The queue may be away: the rows are due all the same, and the sweep finds them.
  if (delay !== null) await ctx.queue.publish([pushMessage(claimed.id, claimed.attempts + 1, delay)]).catch(() => {})
  await publishDeliveries(ctx.queue, deliveries).catch(() => {})
}

async function pushOnce(ctx: Pusher, claimed: queries.Claimed): Promise<Pushed> {
  try {
    const connected = await connection.connected({ ...ctx, db: ctx.account(claimed.account_id).db })
    const noteId = await write(connected.port, claimed)
    await psa.forgetTicket(ctx, connected, claimed.ticket_id)
    return { sent: { ok: true, status: null }, noteId }
  } catch (error) {
    return { sent: failed(error), noteId: null }
  }
}

/** Writes the note, unless an earlier attempt whose answer was lost has written it already. */
async function write(port: PsaPort, { id, ticket_id, body, internal, attempts }: queries.Claimed): Promise<string> {
  const marker = `[Support Flow ${id}]`
  const there = attempts > 1 ? await port.findNote(ticket_id, marker) : null
  return there ?? port.addNote(ticket_id, { text: body, internal, marker })
}

/** A ticket that is not there, a note that is refused and a connection that is gone will not come back; all else may. */
function failed(error: unknown): Sent {
  if (error instanceof Problem && error.kind === 'conflict') return { ok: false, status: null, error: error.message, gone: true }
  if (!(error instanceof PsaError)) throw error
  const { kind, message, status, retryAfterSeconds } = error
  const gone = kind === 'missing' || kind === 'invalid'
  return { ok: false, status, error: message, gone, ...(retryAfterSeconds ? { retryAfterSeconds } : {}) }
}

function failure({ source_kind, source_id, ticket_id, requested_by }: queries.Claimed, reason: string) {
  const of = { source: source_kind, sessionId: source_id, psaTicketId: ticket_id, reason, ownerId: requested_by ?? '' }
  return { key: 'psa.push_failed', actorId: null, teamId: null, ...of } as const
}

async function find(db: Reader['db'], id: string): Promise<Push> {
  const push = await queries.selectPush(db, id)
  if (!push) throw new Problem('not_found', 'Push not found')
  return push
}
