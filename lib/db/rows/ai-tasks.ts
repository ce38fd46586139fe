import { sql } from 'kysely'
import * as z from 'zod'
import { writeStatement } from '#db/statement.ts'

/** A request to store, so that a job can answer it. */
export interface NewAiTask {
  id: string
  signInId: string
  operation: string
  /** Path and query below /api/v1. */
  path: string
  body: string
  /** Seconds until the job starts. */
  delaySeconds: number
}

/** How many tasks of one person can be open at a time. */
export const maxOpenTasks = 20

/**
 * Let concurrent requests of one person store their tasks one after the other, until the transaction ends.
 */
export const lockTasks = writeStatement(
  null,
  () =>
    sql`select from pg_advisory_xact_lock(hashtextextended(concat_ws(':', 'ai_tasks', app.account_id(), app.user_id()), 0))`,
)

/**
 * Store a request as a task. Do nothing if the task exists, or if its person has `maxOpenTasks` open ones.
 */
export const insertAiTask = writeStatement(
  z.object({ id: z.string() }),
  ({ id, signInId, operation, path, body, delaySeconds }: NewAiTask) => sql`
    insert into ai_tasks (id, sign_in_id, operation, path, body, next_attempt_at)
    select ${id}, ${signInId}, ${operation}, ${path}, ${body}, app.now() + make_interval(secs => ${delaySeconds})
     where (select count(*) from ai_tasks t
             where t.account_id = app.account_id() and t.user_id = app.user_id() and t.state in ('queued', 'retrying')) < ${maxOpenTasks}
    on conflict (id) do nothing returning id`,
)

/** Delay the takeover by a job to `seconds` from now, because this process still works on the request. */
export const renewAiTask = writeStatement(
  null,
  (id: string, seconds: number) => sql`
    update ai_tasks t set next_attempt_at = app.now() + make_interval(secs => ${seconds})
     where t.account_id = app.account_id() and t.id = ${id} and t.state = 'queued' and t.attempts = 0`,
)

/** How many calls to the model an operation has made so far. */
export interface ModelCallCounts {
  started: number
  answered: number
}

/** Store the progress of an open task, which never decreases. Return no row when there is nothing new. */
export const storeModelCalls = writeStatement(
  z.object({ calls_started: z.int(), calls_answered: z.int() }),
  (id: string, { started, answered }: ModelCallCounts) => sql`
    update ai_tasks set calls_started = greatest(calls_started, ${started}), calls_answered = greatest(calls_answered, ${answered})
     where account_id = app.account_id() and id = ${id} and state in ('queued', 'retrying') and (calls_started < ${started} or calls_answered < ${answered})
    returning calls_started, calls_answered`,
)

/**
 * Store the answer of a request and its calls to the model in its task. Return no row if there is no task, or
 * a job has already answered it.
 */
export const finishAiTask = writeStatement(
  z.object({ calls_started: z.int() }),
  (id: string, { status, body }: { status: number; body: string }, { started }: ModelCallCounts) => sql`
    update ai_tasks set state = 'finished', body = '', next_attempt_at = null, finished_at = app.now(), response_status = ${status}, response_body = ${body},
           calls_started = greatest(calls_started, ${started})
     where account_id = app.account_id() and id = ${id} and state in ('queued', 'retrying') returning calls_started`,
)
