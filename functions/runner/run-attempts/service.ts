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
import { enqueueNext, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that an attempt needs. */
export type RunContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'vault' | 'runner'>

/** Past its time limit, the agent of the runner needs some time to report the end. */
const graceSeconds = 120
/** How long a runner that does not answer is asked for the result. */
const outageSeconds = 1800

/** How long after its limit a result is asked for: a machine that was asleep reports it when it wakes up. */
const lateSeconds = 6 * 3600

/**
 * What an attempt found: the end of the run, or the seconds until the next look. `late`: until then nobody knows
 * how the script ended.
 */
type Step = { kind: 'wait'; seconds: number } | Late | RunEnd
type Late = { kind: 'late'; reason: string; seconds: number }
type RunEnd =
  | { kind: 'failed'; result: Extract<SendResult, { ok: false }> }
  | { kind: 'unknown'; reason: string }
  | { kind: 'finished'; result: RunResult }

/**
 * Start the script, or look for its result. The start is marked before the call, so no crash and no lost
 * answer repeats it: from then on the run is only followed.
 */
export const work = defineWork({
  kind: 'runner_run',
  parallel: 2,
  statements: queries.attempts,
  async attempt(ctx: RunContext, claimed) {
    const step = await (claimed.started_at === null ? start : follow)(ctx, claimed)
    if (step.kind === 'wait') await recordWait(ctx, claimed, step.seconds)
    else if (step.kind === 'late') await recordLate(ctx, claimed, step)
    else await recordEnd(ctx, claimed, step)
  },
  fail: (ctx, claimed, result) =>
    recordEnd(
      ctx,
      claimed,
      claimed.started_at === null ? { kind: 'failed', result } : { kind: 'unknown', reason: result.error },
    ),
})

async function start(ctx: RunContext, claimed: queries.ClaimedRun): Promise<Step> {
  const { db } = ctx.openAccountScope(claimed.account_id)
  let port: RunnerPort
  let scriptId: string
  try {
    port = await connection.open({ ...ctx, db })
    const agent = await port.findAgent(claimed.agent_id)
    const { name } = agent
    // Before the script, which may have passwords, is stored at the runner.
    const refusal = await queries.selectRefusal.first(db, claimed, agent)
    if (refusal?.reason) return toFailed(`${refusal.reason}; nothing was started`)
    if (!(await port.isOnline(claimed.agent_id)))
      return toFailed(`The machine ${name} is offline; nothing was started`)
    const { script, language } = await openPayload(ctx, claimed)
    scriptId = await port.storeScript({ reference: claimed.id, title: claimed.title, language, script })
    if (!(await queries.markStart.first(db, claimed, agent))) {
      // `recordEnd` deletes nothing for a run that was cancelled meanwhile.
      await removeScript(ctx, claimed)
      return toFailed('It may not start any more; nothing was started')
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
  const giveUp = (reason: string): Step =>
    late < lateSeconds
      ? { kind: 'late', reason, seconds: Math.round(Math.min(1800, Math.max(60, late / 2))) }
      : { kind: 'unknown', reason }
  try {
    const port = await connection.open({ ...ctx, db: ctx.openAccountScope(claimed.account_id).db })
    const run = await port.findRun(claimed.id)
    if (run.result) return { kind: 'finished', result: run.result }
    if (late < 0) return wait
    const reason = run.isStarted
      ? 'The machine has reported no end of the script'
      : 'The runner does not know whether it started the script'
    return giveUp(reason)
  } catch (error) {
    const { error: reason } = toFailure(error)
    return late < outageSeconds && !claimed.is_unknown ? wait : giveUp(reason)
  }
}

/** Record that the run goes on, and enqueue the next look. */
function recordWait(ctx: RunContext, claimed: queries.ClaimedRun, seconds: number): Promise<void> {
  return openScope(ctx, claimed).transaction(async (db) => {
    if (await queries.continueRun.first(db, claimed, seconds)) enqueueNext(db, 'runner_run', claimed, seconds)
  })
}

/** Record once that nobody knows how the run ended, tell the streams, and enqueue the next look. */
async function recordLate(
  ctx: RunContext,
  claimed: queries.ClaimedRun,
  { reason, seconds }: Late,
): Promise<void> {
  const record = claimed.is_unknown ? null : await toScriptRun(ctx, claimed, { kind: 'unknown', reason })
  await openScope(ctx, claimed).transaction(async (db) => {
    if (!(await queries.continueLateRun.first(db, claimed, seconds, reason))) return
    enqueueNext(db, 'runner_run', claimed, seconds)
    if (record) await recordRun(db, claimed, 'unknown', record)
  })
}

/** Add the record of the run if there is one, and tell the streams. */
async function recordRun(
  db: Parameters<typeof enqueueLiveEvent>[0] & Parameters<typeof queries.insertScriptRunOf.first>[0],
  claimed: queries.ClaimedRun,
  state: RunEnd['kind'],
  scriptRun: NewScriptRun | null,
): Promise<void> {
  const inserted = scriptRun && (await queries.insertScriptRunOf.first(db, claimed, scriptRun))
  await enqueueLiveEvent(db, 'script_run_finished', {
    run_id: claimed.id,
    session_id: claimed.session_id ?? claimed.ai_session_id,
    user_id: claimed.requested_by,
    script_run_id: inserted?.id ?? null,
    state,
  })
}

/**
 * Record a failure to start, or the end of the run. If no attempt follows, add the record of the run and tell
 * the streams in the same transaction, then delete the script at the runner.
 */
async function recordEnd(ctx: RunContext, claimed: queries.ClaimedRun, end: RunEnd): Promise<void> {
  const outcome = toOutcome(claimed, end)
  const { result, retrySeconds } = outcome
  recordAttempt('runner_run', result, retrySeconds)
  // A run that stays unknown has its record.
  const isTold = end.kind === 'unknown' && claimed.is_unknown
  const scriptRun = end.kind === 'failed' || isTold ? null : await toScriptRun(ctx, claimed, end)
  const isOver = await openScope(ctx, claimed).transaction(async (db) => {
    if (!(await queries.completeAttempt.first(db, claimed, outcome))) return false
    if (retrySeconds !== null) {
      enqueueNext(db, 'runner_run', claimed, retrySeconds)
      return false
    }
    if (!isTold) await recordRun(db, claimed, end.kind, scriptRun)
    return true
  })
  if (isOver) await removeScript(ctx, claimed)
}

const openScope = (ctx: RunContext, { account_id, requested_by }: queries.ClaimedRun) =>
  ctx.openAccountScope(account_id, requested_by)

function toOutcome(claimed: queries.ClaimedRun, end: RunEnd): queries.RunOutcome {
  if (end.kind === 'failed')
    return { result: end.result, isUnknown: false, retrySeconds: secondsUntilRetry(claimed, end.result) }
  const note = end.kind === 'unknown' ? { note: end.reason } : {}
  return {
    result: { ok: true, status: null, ...note },
    isUnknown: end.kind === 'unknown',
    retrySeconds: null,
  }
}

/** More than is kept, so that no secret is cut where the kept part begins. In characters. */
const maxReadOutput = 1_000_000

/**
 * Return the record of a run that has started, with its output as in one that is recorded by hand: plain,
 * without secrets, and cut at its start.
 */
async function toScriptRun(
  ctx: RunContext,
  claimed: queries.ClaimedRun,
  end: Exclude<RunEnd, { kind: 'failed' }>,
): Promise<NewScriptRun> {
  const startedAt = Date.parse(claimed.started_at ?? '')
  const runningMs = (claimed.running_seconds ?? 0) * 1000
  const isFinished = end.kind === 'finished'
  const { secrets } = await openPayload(ctx, claimed)
  const printed = isFinished ? end.result.output : `[${end.reason}. It is not known how the script ended.]`
  const output = replaceSecretAnswers(toPlainOutput(printed.slice(-maxReadOutput).toWellFormed()), secrets)
  return {
    step_id: claimed.step_id,
    title: claimed.title,
    script_template_id: claimed.script_template_id,
    script_version: claimed.script_version,
    script: null,
    approval_id: claimed.approval_id,
    target: claimed.target ?? claimed.agent_id,
    agent_id: claimed.agent_id,
    client_name: claimed.client_name,
    exit_code: isFinished ? end.result.exitCode : null,
    output: keepEnd(output),
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(
      startedAt + (isFinished ? Math.min(end.result.seconds * 1000, runningMs) : runningMs),
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
 * Convert an error before the start to a result. Only an outage and a limit of calls are repeated. Rethrow any error that is not of
 * the runner.
 */
function toFailure(error: unknown): Extract<SendResult, { ok: false }> {
  if (error instanceof Problem && error.kind === 'runner_not_connected')
    return { ok: false, status: null, error: error.message, gone: true }
  if (!(error instanceof RunnerError)) throw error
  const { kind, status, message, retryAfterSeconds } = error
  const isFinal = kind !== 'down' && status !== 429
  return { ok: false, status, error: message, gone: isFinal, retryAfterSeconds }
}

function toFailed(error: string, status: number | null = null): Step {
  return { kind: 'failed', result: { ok: false, status, error, gone: true } }
}
