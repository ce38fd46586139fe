import { oldestFirst, type PageQuery, toPage } from '#db/page.ts'
import { lockAiSession } from '#db/rows/ai-session-lock.ts'
import { findActiveBranch } from '#db/rows/ai-session-queries.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as connection from '#functions/runner/connection/service.ts'
import * as scripts from '#functions/scripts/scripts/service.ts'
import type { Approval } from '#functions/sessions/approvals/schemas.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import * as scriptRuns from '#functions/sessions/script-runs/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound, unknownId } from '#problem.ts'
import { openStates } from '#rules/ai/session-values.ts'
import type { ScriptMachine } from '#rules/scripts/approval-subject.ts'
import { isSameClient, RunnerError } from '#vendors/runner/runner.ts'
import { sealRunPayload } from '#vendors/runner/sealed-key.ts'
import * as queries from './queries.ts'
import type { RunnerApprovalRequest, RunnerRun, RunnerRunCreate } from './schemas.ts'

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
 * as it will run and on this machine.
 */
export async function startInSession(
  ctx: WriteContext,
  sessionId: string,
  input: RunnerRunCreate,
): Promise<RunnerRun> {
  const session = await sessions.requireInProgress(ctx.db, sessionId)
  const machine = await findApprovedMachine(ctx, session, input)
  const preparedRun = await prepare(ctx, session.id, input, machine)
  const { approval } = preparedRun
  const approvalId = await approvals.requireApproved(ctx, session, approval?.subject ?? null)
  const secrets = session.secret_keys.length > 0 ? await sessions.readSecretAnswers(ctx, sessionId) : []
  const run = await toNewRun(ctx, sessionId, input, preparedRun, secrets)
  const client_name = approval ? machine.client_name : await confirmClient(ctx, input, session)
  const place = { step_id: session.current_step_id, approval_id: approvalId, client_name }
  return inTransaction(ctx.db, async (db) => {
    const [, [inserted]] = await db
      .batch([queries.lockSession.query(sessionId), queries.insertRunOfSession.query({ ...run, ...place })])
      .catch(throwUsedApproval)
    if (!inserted) {
      await sessions.requireInProgress(db, sessionId)
      return scriptRuns.throwTooManyRuns()
    }
    return enqueue(db, inserted)
  })
}

/** Return what the approver has read of the machine. The job compares it with what the runner says then. */
async function findApprovedMachine(
  ctx: WriteContext,
  session: approvals.ApprovalCase,
  { script_template_id, agent_id }: RunnerRunCreate,
): Promise<ScriptMachine> {
  const machine = await approvals.findMachine(ctx, session, script_template_id, agent_id)
  return machine ?? { agent_id, target: '', client_name: '' }
}

/** Request an approval of exactly this script on exactly this machine. */
export async function requestApproval(
  ctx: WriteContext,
  sessionId: string,
  { comment, ...input }: RunnerApprovalRequest,
): Promise<Approval> {
  const session = await sessions.requireInProgress(ctx.db, sessionId)
  const machine = await findMachine(ctx, input, session)
  const { approval } = await prepare(ctx, session.id, input, machine)
  const needed = approvals.requireRisky(approval)
  return approvals.request(ctx, needed.session, needed.subject, comment)
}

/** As `requestApproval`, in an AI session. */
export async function requestApprovalInAiSession(
  ctx: WriteContext,
  sessionId: string,
  { comment, ...input }: RunnerApprovalRequest,
): Promise<Approval> {
  const session = await aiSessions.findOwn(ctx.db, sessionId, openStates)
  const machine = await findMachine(ctx, input, session)
  const subject = await scripts.describeRun(await assess(ctx, input), input.parameters, machine)
  const place = { ...toCase(session), ticket_number: session.psa_ticket_id, client_name: session.client_name }
  return approvals.request(ctx, place, approvals.requireRisky(subject), comment)
}

/** An AI session has no steps, so its approvals have no place in it. */
const toCase = ({ id }: { id: string }) => ({
  id,
  current_step_id: null,
  answered: 0,
  is_ai_session: true,
})

/**
 * Return the machine as the runner names it. Throw 409 if it belongs to another client, and 502 while the runner
 * does not answer.
 */
async function findMachine(
  ctx: WriteContext,
  input: RunnerApprovalInput,
  session: Case,
): Promise<ScriptMachine> {
  const agent = await findAgent(ctx, input.agent_id).catch((error: unknown) =>
    Promise.reject(connection.toProblem(error)),
  )
  requireSameClient(agent, input, session)
  return { agent_id: input.agent_id, target: agent.name, client_name: agent.client }
}

type RunnerApprovalInput = Omit<RunnerApprovalRequest, 'comment'>
type MachineChoice = Pick<RunnerRunCreate, 'agent_id' | 'client_name'>
type Case = { client_name: string | null }

const findAgent = async (ctx: WriteContext, agentId: string) =>
  (await connection.open(ctx)).findAgent(agentId)

/**
 * Return the client whose machine a run needs: the confirmed one, or that of the case. Throw 409 if the
 * machine belongs to another one. While the runner does not answer, the job alone compares them.
 */
async function confirmClient(ctx: WriteContext, input: MachineChoice, session: Case): Promise<string | null> {
  const expected = input.client_name ?? session.client_name
  if (expected === null) return null
  const agent = await findAgent(ctx, input.agent_id).catch((error: unknown) => {
    if (error instanceof RunnerError) return undefined
    throw error
  })
  if (agent) requireSameClient(agent, input, session)
  return expected
}

function requireSameClient(
  { name, client }: Awaited<ReturnType<typeof findAgent>>,
  { client_name }: MachineChoice,
  session: Case,
): void {
  const expected = client_name ?? session.client_name
  if (expected === null || isSameClient(expected, client)) return
  throw new Problem('client_mismatch', `${name} belongs to ${client || 'no client'}, not to ${expected}`, {
    facts: { machine: name, machine_client: client, case_client: session.client_name },
  })
}

/** Render a script for a machine. The template is named in the body. */
function prepare(
  ctx: WriteContext,
  session_id: string,
  { script_template_id, parameters }: Pick<RunnerRunCreate, 'script_template_id' | 'parameters'>,
  machine: ScriptMachine,
) {
  return scripts
    .prepareRun(ctx, script_template_id, { parameters, session_id }, machine)
    .catch(throwUnknownTemplate)
}

/** Render a script with values alone. */
const assess = (ctx: WriteContext, { script_template_id, parameters }: RunnerApprovalInput) =>
  scripts.assessRun(ctx, script_template_id, parameters).catch(throwUnknownTemplate)

function throwUsedApproval(error: unknown): never {
  throw getViolatedConstraint(error) === 'runner_runs_approval'
    ? new Problem('approval_required', 'Another run uses this approval; request one more')
    : error
}

/** As `startInSession`, in an AI session. */
export async function startInAiSession(
  ctx: WriteContext,
  sessionId: string,
  input: RunnerRunCreate,
): Promise<RunnerRun> {
  const session = await aiSessions.findOwn(ctx.db, sessionId, openStates)
  const machine = await findApprovedMachine(ctx, toCase(session), input)
  const assessedRun = await assess(ctx, input)
  const subject = await scripts.describeRun(assessedRun, input.parameters, machine)
  const approval_id = await approvals.requireApproved(ctx, toCase(session), subject)
  const run = await toNewRun(ctx, sessionId, input, assessedRun, [])
  const client_name = subject ? machine.client_name : await confirmClient(ctx, input, session)
  const place = { step_id: null, approval_id, client_name }
  return inTransaction(ctx.db, async (db) => {
    const { session: lockedSession, rows } = await lockAiSession(db, sessionId, [
      queries.insertRunOfAiSession.query({ ...run, ...place }),
    ]).catch(throwUsedApproval)
    const [inserted] = rows[0]
    if (inserted) return enqueue(db, inserted)
    if (!lockedSession?.is_owner || !openStates.some((status) => status === lockedSession.status))
      throw aiSessions.createChangeProblem(lockedSession, openStates)
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
