import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { PageQuery } from '../../../lib/db/page.ts'
import { readStatement, writeStatement } from '../../../lib/db/statement.ts'
import { Time } from '../../../lib/http/fields.ts'
import type { SendResult } from '../../../lib/net/send-result.ts'
import { attemptTable, DueRow } from '../../../lib/outbox/attempts.ts'
import { Push, type PushQuery } from './schemas.ts'

const pushAttempts = attemptTable('psa_pushes', { initial: 'queued', done: 'pushed', doneAt: 'pushed_at' })
const pushColumns = sql`
  p.id, p.ticket_id, p.internal, p.source_kind, p.source_id, p.requested_by, p.state, p.attempts, p.last_error, p.next_attempt_at, p.pushed_at,
  p.provider_note_id, p.created_at`

export const selectPushes = readStatement(Push, ({ skip, limit, state, source_id }: PushQuery & PageQuery) => {
  const where: RawBuilder<unknown>[] = [sql`p.account_id = app.account_id()`]
  if (state) where.push(sql`p.state = ${state}`)
  if (source_id) where.push(sql`p.source_id = ${source_id}`)
  return sql`
    select ${pushColumns} from psa_pushes p where ${sql.join(where, sql` and `)}
     order by p.created_at desc, p.id desc offset ${skip} limit ${limit + 1}`
})

export const selectPush = readStatement(
  Push,
  (id: string) => sql`select ${pushColumns} from psa_pushes p where p.account_id = app.account_id() and p.id = ${id}`,
)

/** Lock a session, so that concurrent pushes of it wait for each other. */
export const lockSession = writeStatement(
  z.object({ id: z.string() }),
  (id: string) => sql`select s.id from sessions s where s.account_id = app.account_id() and s.id = ${id} for update`,
)

/** Make a failed push due for one more attempt. Return false when it has not failed. */
export const reopenPush = writeStatement(
  z.object({ id: z.string() }),
  (id: string) => sql`
    update psa_pushes set state = 'retrying', max_attempts = attempts + 1, next_attempt_at = app.now(), leased_until = null
     where account_id = app.account_id() and id = ${id} and state = 'failed' returning id`,
)

const claimedColumns = sql`id, account_id, ticket_id, body, internal, source_kind, source_id, requested_by, attempts, max_attempts, created_at`

/** A push that a worker has leased for an attempt. */
export const ClaimedPush = z.object({
  id: z.string(),
  account_id: z.string(),
  ticket_id: z.string(),
  body: z.string(),
  internal: z.boolean(),
  source_kind: z.enum(['session', 'ai_session', 'output']),
  source_id: z.string(),
  requested_by: z.string().nullable(),
  attempts: z.int(),
  max_attempts: z.int(),
  created_at: Time,
})
export type ClaimedPush = z.output<typeof ClaimedPush>

export const claimPush = writeStatement(ClaimedPush, (id: string, attempt: number) => pushAttempts.claim(id, attempt, claimedColumns))

/** Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later attempt was made. */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedPush, result: SendResult, noteId: string | null, retrySeconds: number | null) =>
    pushAttempts.complete(claimed, result, retrySeconds, noteId === null ? sql`` : sql`, provider_note_id = ${noteId}`),
)

/** Mark due pushes as swept, oldest first. */
export const claimDuePushes = writeStatement(DueRow, pushAttempts.claimDue)

/** Select the pushes whose last attempt never reported a result. */
export const selectAbandonedPushes = readStatement(
  ClaimedPush,
  () => sql`select ${claimedColumns} from psa_pushes where ${pushAttempts.abandoned} limit 100`,
)
