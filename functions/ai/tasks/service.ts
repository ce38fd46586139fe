import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import type { JobContext } from '#http/job.ts'
import type { ReadContext } from '#http/operation.ts'
import { throwNotFound } from '#problem.ts'
import { parseJson } from '#rules/text/json.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { abandonedAttemptError, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { announceProgress } from '#work/job-progress.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import type { SweptKind } from '#work/sweep.ts'
import * as queries from './queries.ts'
import type { AiTask, TaskQuery } from './schemas.ts'

/** The parts of a job's context that an attempt needs. */
export type TaskContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'callStoredRequest'>

interface Answer {
  status: number
  body: string
}

export async function list({ db }: ReadContext, query: TaskQuery & PageQuery) {
  return toPage(await queries.selectTasks(db, query), query, newestFirst)
}

export async function get({ db }: ReadContext, id: string): Promise<AiTask> {
  const { response_body, ...task } = (await queries.selectTask(db, id)) ?? throwNotFound('Task')
  return { ...task, response: response_body ? (parseJson(response_body) as AiTask['response']) : null }
}

/**
 * Make one attempt to answer a task. A duplicate message finds the attempt already claimed and does nothing.
 */
export async function attempt(ctx: TaskContext, taskId: string, attemptNumber: number): Promise<void> {
  const claimed = await queries.claimTask.first(ctx.platform, taskId, attemptNumber)
  if (!claimed) return
  const {
    id,
    account_id: accountId,
    user_id: userId,
    sign_in_id: signInId,
    key_hash: hash,
    path,
    body,
  } = claimed
  const caller = {
    accountId,
    userId,
    signInId,
    ...(hash ? { key: { hash, isAddressChecked: true } as const } : {}),
  }
  const answer = await ctx.callStoredRequest({ id, caller, path, body })
  await recordResult(ctx, claimed, toSendResult(answer), answer)
}

/** Fail the tasks whose last attempt never reported a result. */
export async function failAbandoned(ctx: TaskContext): Promise<void> {
  for (const abandoned of await queries.selectAbandonedTasks.all(ctx.platform))
    await recordResult(
      ctx,
      abandoned,
      { ok: false, status: null, error: abandonedAttemptError, gone: true },
      null,
    )
}

/** Return the functions with which the sweep claims and attempts due tasks. */
export function toSweptKind(ctx: TaskContext): SweptKind {
  return {
    kind: 'ai_task',
    parallel: 1,
    claimDue: (limit) => queries.claimDueTasks.all(ctx.platform, limit),
    attempt: (id, attemptNumber) => attempt(ctx, id, attemptNumber),
  }
}

/**
 * Only an answer that says the service is unavailable is retried. Any other answer is the result, also an
 * error of the model.
 */
function toSendResult({ status }: Answer): SendResult {
  return status < 500 || status === 502
    ? { ok: true, status }
    : { ok: false, status, error: `The operation answered ${status}` }
}

async function recordResult(
  ctx: TaskContext,
  claimed: queries.ClaimedTask,
  result: SendResult,
  answer: Answer | null,
): Promise<void> {
  const delaySeconds = secondsUntilRetry(claimed, result)
  recordAttempt('ai_task', result, delaySeconds)
  await ctx.openAccountScope(claimed.account_id, claimed.user_id).transaction(async (db) => {
    const completed = await queries.completeAttempt.first(db, claimed, result, answer, delaySeconds)
    if (!completed) return
    if (delaySeconds !== null)
      return db.outbox({ kind: 'ai_task', id: claimed.id, attempt: claimed.attempts + 1, delaySeconds })
    const { id: task_id, user_id, operation } = claimed
    const calls = completed.calls_started
    await announceProgress(db, {
      kind: 'ai_task',
      id: task_id,
      user_id,
      phase: 'finished',
      done: calls,
      total: calls,
    })
    await enqueueLiveEvent(db, 'ai_task_finished', {
      task_id,
      user_id,
      operation,
      status: answer?.status ?? null,
    })
  })
}
