import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable, DueRow } from '#work/attempts.ts'

const attempts = attemptTable('kb_batches', { initial: 'queued', done: 'succeeded', doneAt: 'succeeded_at' })
/** Attempts of one slice. */
export const maxSliceAttempts = 4

/** A batch that a worker has leased for a slice. */
export const ClaimedBatch = z.object({
  id: z.string(),
  account_id: z.string(),
  team_id: z.string().nullable(),
  created_by: z.string(),
  source: z.enum(['zip', 'url']),
  address: z.string().nullable(),
  object_key: z.string().nullable(),
  done: z.int(),
  total: z.int(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedBatch = z.output<typeof ClaimedBatch>

const claimedColumns = sql`id, account_id, team_id, created_by, source, address, object_key, done, total, attempts, max_attempts`

/** Claim an attempt of a slice. Return no row when it is already claimed or the batch is over. */
export const claimBatch = writeStatement(ClaimedBatch, (id: string, attempt: number) => attempts.claim(id, attempt, claimedColumns))

/** Record a slice after which another follows. Return no row when a later attempt was claimed, or the batch was canceled. */
export const continueBatch = writeStatement(z.object({ id: z.string() }), (claimed: ClaimedBatch, done: number) =>
  attempts.continue(claimed, maxSliceAttempts, sql`done = ${done}`),
)

/** Record the last slice, or a failed attempt. `retrySeconds` is null when no attempt follows. Return no row as `continueBatch` does. */
export const completeBatch = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedBatch, result: SendResult, retrySeconds: number | null, done: number) =>
    attempts.complete(
      claimed,
      result,
      retrySeconds,
      retrySeconds === null ? sql`, done = ${done}, problem = ${result.ok ? null : result.error}, finished_at = app.now()` : sql``,
    ),
)

/** Mark due batches as swept, oldest first. */
export const claimDueBatches = writeStatement(DueRow, attempts.claimDue)

/** Select the batches whose last attempt never reported a result. */
export const selectAbandonedBatches = readStatement(
  ClaimedBatch,
  () => sql`select ${claimedColumns} from kb_batches where ${attempts.abandoned} limit 100`,
)

/** Enter the team of a batch, to which its imports belong. */
export const enterTeam = writeStatement(
  z.object({ enter_team: z.string().nullable() }),
  (teamId: string) => sql`select app.enter_team(${teamId})`,
)

export interface NewItem {
  place: number
  name: string
  import_id: string | null
  problem: string | null
}

export const insertItems = writeStatement(
  null,
  (batchId: string, items: readonly NewItem[]) => sql`
    insert into kb_batch_items (batch_id, place, name, import_id, problem)
    select ${batchId}, place, name, import_id, problem from jsonb_to_recordset(${jsonb(items)})
      as n (place integer, name text, import_id uuid, problem text)`,
)
