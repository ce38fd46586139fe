import type { NewScriptRun } from '#db/rows/script-runs.ts'
import * as connection from '#functions/runner/connection/service.ts'
import { maxOutputBytes } from '#functions/sessions/script-runs/schemas.ts'
import type { JobContext } from '#http/job.ts'
import { Problem } from '#problem.ts'
import { replaceSecretAnswers } from '#rules/flows/secret-answers.ts'
import { toPlainOutput } from '#rules/text/terminal-output.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { RunnerError, type RunnerPort, type RunResult } from '#vendors/runner/runner.ts'
import { openRunPayload } from '#vendors/runner/sealed-key.ts'
import { abandonedAttemptError, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import type { SweptKind } from '#work/sweep.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that an attempt needs. */
export type RunContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'vault' | 'runner' | 'budget'>

/** Past its time limit, the agent of the runner needs some time to report the end. */
const graceSeconds = 120
/** How long a runner that does not answer is asked for the result. */
const outageSeconds = 1800

/** What an attempt found: the end of the run, or the seconds until the next look. */
type Step =
  | { kind: 'wait'; seconds: number }
  | { kind: 'failed'; result: Extract<SendResult, { ok: false }> }
  | { kind: 'unknown'; reason: string }
  | { kind: 'finished'; result: RunResult }

/**
 * Start the script, or look for its result. The start is marked before the call, so no crash and no lost
 * answer repeats it: from then on the run is only followed.
 */
export async function attempt(ctx: RunContext, runId: string, attemptNumber: number): Promise<void> {
  const claimed = await queries.claimRun.first(ctx.platform, runId, attemptNumber)
  if (!claimed) return
  const step = claimed.started_at === null ? await start(ctx, claimed) : await follow(ctx, claimed)
  await record(ctx, claimed, step)
}

/** End the runs whose last attempt never reported a result. */
export async function failAbandoned(ctx: RunContext): Promise<void> {
  for (const abandoned of await queries.selectAbandonedRuns.all(ctx.platform)) {
    const failed = {
      kind: 'failed',
      result: { ok: false, status: null, error: abandonedAttemptError, gone: true },
    } as const
    await record(
      ctx,
      abandoned,
      abandoned.started_at === null ? failed : { kind: 'unknown', reason: abandonedAttemptError },
    )
  }
}

/** Return the functions with which the sweep claims and attempts due runs. */
export function toSweptKind(ctx: RunContext): SweptKind {
  return {
    kind: 'runner_run',
    parallel: 2,
    claimDue: (limit) => queries.claimDueRuns.all(ctx.platform, limit),
    attempt: (id, attemptNumber) => attempt(ctx, id, attemptNumber),
  }
}

async function start(ctx: RunContext, claimed: queries.ClaimedRun): Promise<Step> {
  const { db } = ctx.openAccountScope(claimed.account_id)
  let port: RunnerPort
  let scriptId: string
  try {
    port = await connection.open({ ...ctx, db })
    const { name, is_online } = await port.findAgent(claimed.agent_id)
    if (!is_online) return toFailed(`The machine ${name} is offline; nothing was started`)
    const { script, language } = await openPayload(ctx, claimed)
    scriptId = await port.storeScript({ reference: claimed.id, title: claimed.title, language, script })
    if (!(await queries.markStart.first(db, claimed, name))) {
      // `record` deletes nothing for a run that was cancelled meanwhile.
      await removeScript(ctx, claimed)
      return toFailed('The approval no longer holds, or the run waited for too long; nothing was started')
    }
  } catch (error) {
    return { kind: 'failed', result: toFailure(error) }
  }
  try {
    await port.start(claimed.agent_id, scriptId, claimed.time_limit_seconds)
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error
    // The runner has answered that it did nothing. Without such an answer it may have started the script.
    if (error.kind !== 'down') return toFailed(`${error.message}; nothing was started`, error.status)
  }
  return { kind: 'wait', seconds: 5 }
}

async function follow(ctx: RunContext, claimed: queries.ClaimedRun): Promise<Step> {
  const running = claimed.running_seconds ?? 0
  const late = running - claimed.time_limit_seconds - graceSeconds
  const wait = { kind: 'wait', seconds: running < 60 ? 10 : 30 } as const
  try {
    const port = await connection.open({ ...ctx, db: ctx.openAccountScope(claimed.account_id).db })
    const found = await port.findRun(claimed.id)
    if (found.result) return { kind: 'finished', result: found.result }
    if (late < 0) return wait
    const reason = found.isStarted
      ? 'The machine has reported no end of the script'
      : 'The runner does not know whether it started the script'
    return { kind: 'unknown', reason }
  } catch (error) {
    const { error: reason } = toFailure(error)
    return late < outageSeconds ? wait : { kind: 'unknown', reason }
  }
}

/**
 * Record a step in one transaction, with the record of the run and the event if it is the last one. Then
 * delete the script at the runner.
 */
async function record(ctx: RunContext, claimed: queries.ClaimedRun, step: Step): Promise<void> {
  const scope = ctx.openAccountScope(claimed.account_id, claimed.requested_by)
  if (step.kind === 'wait')
    return scope.transaction(async (db) => {
      if (await queries.continueRun.first(db, claimed, step.seconds))
        db.outbox({
          kind: 'runner_run',
          id: claimed.id,
          attempt: claimed.attempts + 1,
          delaySeconds: step.seconds,
        })
    })
  const outcome = toOutcome(claimed, step)
  const { result, retrySeconds } = outcome
  recordAttempt('runner_run', result, retrySeconds)
  const run = step.kind === 'failed' ? null : await toRecord(ctx, claimed, step)
  const isCompleted = await scope.transaction(async (db) => {
    if (!(await queries.completeAttempt.first(db, claimed, outcome))) return false
    if (retrySeconds !== null)
      db.outbox({
        kind: 'runner_run',
        id: claimed.id,
        attempt: claimed.attempts + 1,
        delaySeconds: retrySeconds,
      })
    else {
      const record = run && (await queries.insertRecord.first(db, claimed, run))
      const session_id = claimed.session_id ?? claimed.ai_session_id
      const ids = {
        run_id: claimed.id,
        session_id,
        user_id: claimed.requested_by,
        script_run_id: record?.id ?? null,
      }
      await enqueueLiveEvent(db, 'script_run_finished', { ...ids, state: step.kind })
    }
    return retrySeconds === null
  })
  if (isCompleted) await removeScript(ctx, claimed)
}

function toOutcome(claimed: queries.ClaimedRun, step: Exclude<Step, { kind: 'wait' }>): queries.RunOutcome {
  if (step.kind === 'failed')
    return { result: step.result, isUnknown: false, retrySeconds: secondsUntilRetry(claimed, step.result) }
  const note = step.kind === 'unknown' ? { note: step.reason } : {}
  return {
    result: { ok: true, status: null, ...note },
    isUnknown: step.kind === 'unknown',
    retrySeconds: null,
  }
}

/** More than is kept, so that no secret is cut where the kept part begins. In characters. */
const maxReadOutput = 1_000_000

/**
 * Return the record of a run that has started, with its output as in one that is recorded by hand: plain,
 * without secrets, and cut at its start.
 */
async function toRecord(
  ctx: RunContext,
  claimed: queries.ClaimedRun,
  step: Extract<Step, { kind: 'unknown' | 'finished' }>,
): Promise<NewScriptRun> {
  const startedAt = Date.parse(claimed.started_at ?? '')
  const runningMs = (claimed.running_seconds ?? 0) * 1000
  const isFinished = step.kind === 'finished'
  const { secrets } = await openPayload(ctx, claimed)
  const printed = isFinished ? step.result.output : `[${step.reason}. It is not known how the script ended.]`
  const output = replaceSecretAnswers(
    toPlainOutput(printed.slice(-maxReadOutput).toWellFormed()),
    secrets,
    ctx.budget,
  )
  return {
    step_id: claimed.step_id,
    title: claimed.title,
    script_template_id: claimed.script_template_id,
    script_version: claimed.script_version,
    script: null,
    approval_id: claimed.approval_id,
    target: claimed.target ?? claimed.agent_id,
    exit_code: isFinished ? step.result.exitCode : null,
    output: keepEnd(output),
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(
      startedAt + (isFinished ? Math.min(step.result.seconds * 1000, runningMs) : runningMs),
    ).toISOString(),
  }
}

/** Return the last 64 KB of a text, from a character on. */
function keepEnd(text: string): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= maxOutputBytes) return text
  let first = bytes.length - maxOutputBytes
  while (((bytes[first] ?? 0) & 0xc0) === 0x80) first++
  return new TextDecoder().decode(bytes.subarray(first))
}

/** A failure leaves the script at the runner, where its category names this service. */
async function removeScript(ctx: RunContext, { account_id, id }: queries.ClaimedRun): Promise<void> {
  try {
    await (await connection.open({ ...ctx, db: ctx.openAccountScope(account_id).db })).removeScript(id)
  } catch (error) {
    toFailure(error)
  }
}

async function openPayload(ctx: RunContext, { account_id, id, payload }: queries.ClaimedRun) {
  if (payload === null) throw new Error('An open run has a payload')
  return openRunPayload(ctx.vault, account_id, id, payload)
}

/**
 * Convert an error before the start to a result. Only an outage is repeated. Rethrow any error that is not of
 * the runner.
 */
function toFailure(error: unknown): Extract<SendResult, { ok: false }> {
  if (error instanceof Problem && error.kind === 'runner_not_connected')
    return { ok: false, status: null, error: error.message, gone: true }
  if (!(error instanceof RunnerError)) throw error
  return { ok: false, status: error.status, error: error.message, gone: error.kind !== 'down' }
}

function toFailed(error: string, status: number | null = null): Step {
  return { kind: 'failed', result: { ok: false, status, error, gone: true } }
}
