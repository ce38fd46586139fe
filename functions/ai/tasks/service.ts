import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import type { JobContext } from '#http/job.ts'
import type { ReadContext } from '#http/operation.ts'
import { throwNotFound } from '#problem.ts'
import { parseJson } from '#rules/text/json.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { enqueueNext, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { announceProgress } from '#work/job-progress.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
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

export const work = defineWork({
  kind: 'ai_task',
  statements: queries.attempts,
  async attempt(ctx: TaskContext, claimed) {
    const { id, account_id: accountId, user_id: userId, sign_in_id: signInId, key_hash: hash } = claimed
    const key = hash ? { key: { hash, isAddressChecked: true } as const } : {}
    const caller = { accountId, userId, signInId, ...key }
    const answer = await ctx.callStoredRequest({ id, caller, path: claimed.path, body: claimed.body })
    await recordResult(ctx, claimed, toSendResult(answer), answer)
  },
  fail: (ctx, claimed, result) => recordResult(ctx, claimed, result, null),
})

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
    const completedTask = await queries.completeAttempt.first(db, claimed, result, answer, delaySeconds)
    if (!completedTask) return
    if (delaySeconds !== null) return enqueueNext(db, 'ai_task', claimed, delaySeconds)
    const { id: task_id, user_id, operation } = claimed
    const calls = completedTask.calls_started
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
