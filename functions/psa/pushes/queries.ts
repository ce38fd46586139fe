import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { SendResult } from '../../../lib/net/send-result.ts'
import { attemptStatements } from '../../../lib/queue/attempts.ts'
import type { Push, PushQuery } from './schemas.ts'

const pushAttempts = attemptStatements('psa_pushes', { initial: 'queued', done: 'pushed', doneAt: 'pushed_at' })
const pushColumns = sql`
  p.id, p.ticket_id, p.internal, p.source_kind, p.source_id, p.requested_by, p.state, p.attempts, p.last_error, p.next_attempt_at, p.pushed_at,
  p.provider_note_id, p.created_at`

export async function selectPushes(db: ReadDb, { skip, limit, state, source_id }: PushQuery & PageQuery): Promise<Push[]> {
  const where: RawBuilder<unknown>[] = [sql`p.account_id = app.account_id()`]
  if (state) where.push(sql`p.state = ${state}`)
  if (source_id) where.push(sql`p.source_id = ${source_id}`)
  const { rows } = await sql<Push>`
    select ${pushColumns} from psa_pushes p where ${sql.join(where, sql` and `)}
     order by p.created_at desc, p.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectPush(db: ReadDb, id: string): Promise<Push | undefined> {
  return (
    await sql<Push>`select ${pushColumns} from psa_pushes p where p.account_id = app.account_id() and p.id = ${id}`.execute(db as WriteDb)
  ).rows[0]
}

/** Make a failed push due for one more attempt. Return false when it has not failed. */
export async function reopenPush(db: WriteDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    update psa_pushes set state = 'retrying', max_attempts = attempts + 1, next_attempt_at = app.now(), leased_until = null
     where account_id = app.account_id() and id = ${id} and state = 'failed' returning id`.execute(db)
  return rows.length > 0
}

/** A push that a worker has leased for an attempt. */
export interface ClaimedPush {
  id: string
  account_id: string
  ticket_id: string
  body: string
  internal: boolean
  source_kind: 'session' | 'ai_session' | 'output'
  source_id: string
  requested_by: string | null
  attempts: number
  max_attempts: number
}

export async function claimPush(db: PlatformDb, id: string, attempt: number): Promise<ClaimedPush | undefined> {
  return (await pushAttempts.claim<ClaimedPush>(id, attempt).execute(db)).rows[0]
}

/** Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return false when a later attempt was made. */
export async function recordAttempt(
  db: WriteDb,
  claimed: ClaimedPush,
  result: SendResult,
  noteId: string | null,
  retrySeconds: number | null,
): Promise<boolean> {
  const note = noteId === null ? sql`` : sql`, provider_note_id = ${noteId}`
  return (await pushAttempts.record(claimed, result, retrySeconds, note).execute(db)).rows.length > 0
}

export const selectDuePushes = pushAttempts.selectDue

/** Select the pushes whose last attempt never reported a result. */
export async function selectAbandonedPushes(db: PlatformDb): Promise<ClaimedPush[]> {
  return (await sql<ClaimedPush>`select * from psa_pushes where ${pushAttempts.abandoned} limit 100`.execute(db)).rows
}
