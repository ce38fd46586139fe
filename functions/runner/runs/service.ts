import { oldestFirst, type PageQuery, toPage } from '#db/page.ts'
import { lockAiSession } from '#db/rows/ai-session-lock.ts'
import { findActiveBranch } from '#db/rows/ai-session-queries.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import * as aiFixes from '#functions/ai/fixes/service.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as connection from '#functions/runner/connection/service.ts'
import * as scripts from '#functions/scripts/scripts/service.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import * as scriptRuns from '#functions/sessions/script-runs/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound, unknownId } from '#problem.ts'
import { openStates } from '#rules/ai/session-values.ts'
import { sealRunPayload } from '#vendors/runner/sealed-key.ts'
import * as queries from './queries.ts'
import type { RunnerRun, RunnerRunCreate } from './schemas.ts'

export async function listOfSession({ db }: ReadContext, sessionId: string, page: PageQuery) {
  const runs = await queries.selectRunsOfSession.all(db, sessionId, page)
  if (runs.length === 0) await sessions.find(db, sessionId)
  return toPage(runs, page, oldestFirst)
}

export async function listOfAiSession({ db }: ReadContext, sessionId: string, page: PageQuery) {
  const runs = await queries.selectRunsOfAiSession.all(db, sessionId, page)
  if (runs.length === 0) await findActiveBranch(db, sessionId)
  return toPage(runs, page, oldestFirst)
}

/**
 * Store a run of a template with its message. A script of medium or high risk must be approved now, exactly
 * as it will run.
 */
export async function startInSession(
  ctx: WriteContext,
  sessionId: string,
  input: RunnerRunCreate,
): Promise<RunnerRun> {
  const session = await sessions.requireInProgress(ctx.db, sessionId)
  const preparedRun = await scripts
    .prepareRun(ctx, input.script_template_id, { parameters: input.parameters, session_id: sessionId })
    .catch(throwUnknownTemplate)
  const { approval } = preparedRun
  const approvalId = approval ? await approvals.findApproved(ctx, approval.session, approval.subject) : null
  if (approval && !approvalId)
    throw await approvals.createRequiredProblem(ctx.db, approval.session, approval.subject)
  const secrets = session.secret_keys.length > 0 ? await sessions.readSecretAnswers(ctx, sessionId) : []
  const run = await toNewRun(ctx, sessionId, input, preparedRun, secrets)
  return inTransaction(ctx.db, async (db) => {
    const [, [inserted]] = await db.batch([
      queries.lockSession.query(sessionId),
      queries.insertRunOfSession.query({ ...run, step_id: session.current_step_id, approval_id: approvalId }),
    ])
    if (!inserted) {
      await sessions.requireInProgress(db, sessionId)
      return scriptRuns.throwTooManyRuns()
    }
    return enqueue(db, inserted)
  })
}

/** Store a run in an AI session, which has no approvals: only a script of low risk can run. */
export async function startInAiSession(
  ctx: WriteContext,
  sessionId: string,
  input: RunnerRunCreate,
): Promise<RunnerRun> {
  await aiSessions.findOwn(ctx.db, sessionId, openStates)
  const assessedRun = await scripts
    .assessRun(ctx, input.script_template_id, input.parameters)
    .catch(throwUnknownTemplate)
  aiFixes.requireLowRisk(assessedRun.assessment)
  const run = await toNewRun(ctx, sessionId, input, assessedRun, [])
  return inTransaction(ctx.db, async (db) => {
    const { session, rows } = await lockAiSession(db, sessionId, [
      queries.insertRunOfAiSession.query({ ...run, step_id: null, approval_id: null }),
    ])
    const [inserted] = rows[0]
    if (inserted) return enqueue(db, inserted)
    if (!session?.is_owner || !openStates.some((status) => status === session.status))
      throw aiSessions.createChangeProblem(session, openStates)
    return scriptRuns.throwTooManyRuns()
  })
}

/** Cancel a run that has not started. Tactical RMM cannot stop a script that runs. */
export async function cancel({ db }: WriteContext, id: string): Promise<RunnerRun> {
  const cancelled = await queries.cancelRun.first(db, id)
  if (cancelled) return cancelled
  const run = (await queries.selectRun.first(db, id)) ?? throwNotFound('Run')
  if (run.state !== 'queued')
    throw new Problem('wrong_state', `The run is ${run.state}; the runner cannot stop it`, {
      facts: { state: run.state },
    })
  throw new Problem('forbidden', 'Only who started it or an account admin may cancel this run')
}

function enqueue(db: WriteDb, run: RunnerRun): RunnerRun {
  db.outbox({ kind: 'runner_run', id: run.id, attempt: 1 })
  return run
}

/** Passwords and secret answers are hidden in the output, as in a run that is recorded by hand. */
async function toNewRun(
  ctx: WriteContext,
  sessionId: string,
  { script_template_id, agent_id, time_limit_seconds, parameters }: RunnerRunCreate,
  { template, script }: Pick<scripts.AssessedRun, 'template' | 'script'>,
  secretAnswers: readonly string[],
) {
  const runner = await connection.open(ctx)
  const problem = runner.findScriptProblem(script)
  if (problem) throw invalidField(['body', 'script_template_id'], problem, 'script')
  const passwords = template.parameters_schema.flatMap(({ name, type }) => {
    const value = parameters[name]
    return type === 'password' && typeof value === 'string' ? [value] : []
  })
  const id = ctx.workId
  const payload = { script, language: template.language, secrets: [...passwords, ...secretAnswers] }
  return {
    id,
    session_id: sessionId,
    title: template.name,
    script_template_id,
    script_version: template.version,
    agent_id,
    time_limit_seconds,
    payload: await sealRunPayload(ctx.vault, ctx.caller.accountId, id, payload),
  }
}

function throwUnknownTemplate(error: unknown): never {
  throw error instanceof Problem && error.kind === 'not_found'
    ? unknownId('script_template_id', 'script template')
    : error
}
