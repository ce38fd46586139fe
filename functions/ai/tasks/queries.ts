import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { PageQuery } from '#db/page.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable, DueRow } from '#work/attempts.ts'
import { AiTaskItem, type TaskQuery } from './schemas.ts'

// Longer than a question to the model and its retries may take.
const leaseSeconds = 300
const taskAttempts = attemptTable('ai_tasks', { initial: 'queued', done: 'finished', doneAt: 'finished_at', leaseSeconds })
const columns = sql`t.id, t.operation, t.state, t.attempts, t.response_status, t.created_at, t.finished_at`

export const selectTasks = readStatement(AiTaskItem, ({ state, skip, limit }: TaskQuery & PageQuery) => {
  const where: RawBuilder<unknown>[] = [sql`t.account_id = app.account_id() and t.user_id = app.user_id()`]
  if (state) where.push(sql`t.state = ${state}`)
  return sql`
    select ${columns} from ai_tasks t where ${sql.join(where, sql` and `)}
     order by t.created_at desc, t.id desc offset ${skip} limit ${limit + 1}`
})

export const selectTask = readStatement(
  AiTaskItem.extend({ response_body: z.string().nullable() }),
  (id: string) => sql`
    select ${columns}, t.response_body from ai_tasks t where t.account_id = app.account_id() and t.user_id = app.user_id() and t.id = ${id}`,
)

const claimedColumns = sql`
  id, account_id, user_id, sign_in_id, operation, path, body, attempts, max_attempts,
  (select k.hash::text from api_keys k where k.account_id = ai_tasks.account_id and k.id = ai_tasks.sign_in_id) as key_hash`

/** A task that a worker has leased for an attempt. */
export const ClaimedTask = z.object({
  id: z.string(),
  account_id: z.string(),
  user_id: z.string(),
  sign_in_id: z.string(),
  operation: z.string(),
  path: z.string(),
  body: z.string(),
  attempts: z.int(),
  max_attempts: z.int(),
  /** The hash of the API key that stored the request, as a bytea. */
  key_hash: z.string().nullable(),
})
export type ClaimedTask = z.output<typeof ClaimedTask>

/** Claim an attempt. Return no row when it is already claimed or the task is over. */
export const claimTask = writeStatement(ClaimedTask, (id: string, attempt: number) => taskAttempts.claim(id, attempt, claimedColumns))

/** Record the result and the answer of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later one was claimed. */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedTask, result: SendResult, answer: { status: number; body: string } | null, retrySeconds: number | null) =>
    taskAttempts.complete(
      claimed,
      result,
      retrySeconds,
      sql`${answer ? sql`, response_status = ${answer.status}, response_body = ${answer.body}` : sql``} ${retrySeconds === null ? sql`, body = ''` : sql``}`,
    ),
)

/** Mark due tasks as swept, oldest first. */
export const claimDueTasks = writeStatement(DueRow, taskAttempts.claimDue)

/** Select the tasks whose last attempt never reported a result. */
export const selectAbandonedTasks = readStatement(
  ClaimedTask,
  () => sql`select ${claimedColumns} from ai_tasks where ${taskAttempts.abandoned} limit 100`,
)
