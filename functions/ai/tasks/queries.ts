import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, userId } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'
import type { AiTaskItem, TaskQuery } from './schemas.ts'

// Nothing is left to do when a task is over, also after a call that never ended.
const progress = sql<z.output<typeof AiTaskItem>['progress']>`
  case when state in ('finished', 'failed') then jsonb_build_object('phase', 'finished', 'done', calls_started, 'total', calls_started)
       else jsonb_build_object('phase', case when calls_started = 0 then 'waiting' else 'asking' end, 'done', calls_answered, 'total', calls_started) end`

function selectOwnTasks(db: ReadDb) {
  return db
    .selectFrom('ai_tasks')
    .select([
      'id',
      'operation',
      'state',
      'attempts',
      progress.as('progress'),
      'response_status',
      'created_at',
      'finished_at',
    ])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
}

export function selectTasks(
  db: ReadDb,
  { state, ...page }: TaskQuery & PageQuery,
): Promise<z.output<typeof AiTaskItem>[]> {
  let tasks = selectOwnTasks(db)
  if (state) tasks = tasks.where('state', '=', state)
  return tasks.$call(selectPage(newestFirst, page)).execute()
}

export function selectTask(
  db: ReadDb,
  id: string,
): Promise<(z.output<typeof AiTaskItem> & { response_body: string | null }) | undefined> {
  return selectOwnTasks(db).select('response_body').where('id', '=', id).executeTakeFirst()
}

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

export const attempts = attemptStatements('ai_task', ClaimedTask, {
  computed: {
    key_hash: sql`(select k.hash::text from api_keys k where k.account_id = ai_tasks.account_id and k.id = ai_tasks.sign_in_id)`,
  },
})

/**
 * Record the result and the answer of an attempt. `retrySeconds` is null when no attempt follows. Return no
 * row when a later one was claimed.
 */
export const completeAttempt = writeStatement(
  z.object({ calls_started: z.int() }),
  (
    claimed: ClaimedTask,
    result: SendResult,
    answer: { status: number; body: string } | null,
    retrySeconds: number | null,
  ) =>
    sql`with completed as (${attemptTable('ai_task').complete(
      claimed,
      result,
      retrySeconds,
      sql`${answer ? sql`, response_status = ${answer.status}, response_body = ${answer.body}` : sql``} ${retrySeconds === null ? sql`, body = ''` : sql``}`,
    )}) select t.calls_started from ai_tasks t join completed using (id)`,
)
