import { type PageQuery, toPage } from '#db/page.ts'
import { selectColleagues } from '#db/rows/colleagues.ts'
import type { JobContext } from '#http/job.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { notFound } from '#problem.ts'
import type { TransientEvent } from '#vendors/realtime/realtime.ts'
import type { SweepOptions } from '#work/sweep.ts'
import * as queries from './queries.ts'
import type { Presence, PresenceDelete, PresencePut, PresenceQuery, PresentColleague } from './schemas.ts'

export async function list({ db }: ReadContext, query: PresenceQuery & PageQuery) {
  return toPage(await queries.selectPresence.all(db, query), query, null)
}

const names = { flow: 'Flow', session: 'Session', ai_session: 'AI session' }

/** Store that the caller is at a resource. Throw 404 for one that they do not see. */
export async function put(ctx: WriteContext, input: PresencePut): Promise<Presence> {
  const { type, id } = input
  const [stored, also_here] = await ctx.db.batch([
    queries.putPresence.query(input),
    selectColleagues.query(type, id),
  ])
  const presence = stored[0]
  if (!presence) throw notFound(names[type])
  announce(ctx, presence)
  return { expires_at: presence.expires_at, also_here }
}

/** End the caller's presence. Succeeds if there is none. */
export async function remove(ctx: WriteContext, input: PresenceDelete): Promise<void> {
  announce(ctx, await queries.deletePresence.one(ctx.db, input))
}

/**
 * Wait for a change of a resource, and add the colleagues who are there to its answer, if there are any. If
 * reading them fails, the answer leaves them out. Inside a transaction, such a failure also rolls back the
 * change.
 */
export async function addColleagues<T extends object>(
  { db }: Pick<WriteContext, 'db'>,
  type: PresencePut['type'],
  id: string,
  change: Promise<T>,
): Promise<T & { also_here?: PresentColleague[] }> {
  const answer = await change
  return withColleagues(answer, await selectColleagues.all(db, type, id).catch(() => []))
}

/**
 * Add colleagues to the answer of a change, if there are any. For a change that reads them together with
 * other rows.
 */
export function withColleagues<T extends object>(
  answer: T,
  also_here: PresentColleague[],
): T & { also_here?: PresentColleague[] } {
  return also_here.length > 0 ? { ...answer, also_here } : answer
}

export type SweepContext = Pick<JobContext, 'platform' | 'realtime'>

const deletedAtOnce = 1000

/**
 * Delete expired presence until none is left or the time is over. Concurrent sweeps delete different rows.
 */
export async function sweep(
  ctx: SweepContext,
  { budgetMs, now }: Pick<SweepOptions, 'budgetMs' | 'now'>,
): Promise<void> {
  const end = now() + budgetMs
  while ((await deleteExpired(ctx)) > 0 && now() < end);
}

/** Delete some expired rows, and announce to the open streams who has left. Return the number of rows. */
async function deleteExpired({ platform, realtime }: SweepContext): Promise<number> {
  const expired = await queries.deleteExpired.all(platform, deletedAtOnce)
  const byAccount = Map.groupBy(expired, ({ account_id }) => account_id)
  const broadcasts = [...byAccount].map(([accountId, rows]) =>
    realtime.broadcast(accountId, rows.flatMap(toTransientEvents)),
  )
  // A client that does not receive an event sees the change when it next repeats its presence.
  await Promise.allSettled(broadcasts)
  return expired.length
}

function toTransientEvents({ event }: { event: queries.StoredEvent | null }): TransientEvent[] {
  return event ? [{ event: 'presence', ...event }] : []
}

/**
 * Announce a change to the open streams after the commit, without waiting. If the hub cannot be reached, the
 * event is lost.
 */
function announce(
  { realtime, caller, afterCommit }: WriteContext,
  stored: { event: queries.StoredEvent | null },
): void {
  const events = toTransientEvents(stored)
  if (events.length > 0) afterCommit(() => realtime.broadcast(caller.accountId, events).catch(() => {}))
}
