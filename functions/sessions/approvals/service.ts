import { type PageQuery, toPage } from '#db/page.ts'
import { selectTimezones } from '#db/rows/timezones.ts'
import { inTransaction, type PlatformDb, type WriteDb } from '#db/scope.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { limitReached, Problem, throwNotFound } from '#problem.ts'
import { toApprovalAlert } from '#rules/events/approval-alert.ts'
import { defaultExpiryMinutes } from '#rules/flows/approval-requirement.ts'
import { fillPlaceholders } from '#rules/flows/placeholders.ts'
import { collectVariables } from '#rules/flows/run-view.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { findAnswerableStep } from '#rules/flows/step-navigation.ts'
import type { ScriptMachine } from '#rules/scripts/approval-subject.ts'
import { showDirectionControls } from '#rules/text/direction-controls.ts'
import { sha256Base64url } from '#vendors/auth/hash.ts'
import { enqueueEvent } from '#work/events.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import { type AccountSweepContext, type SweepBudget, sweepAccounts } from '#work/sweep-accounts.ts'
import * as queries from './queries.ts'
import type { Approval } from './schemas.ts'

export type ApprovalSubject = queries.ApprovalSubject
export type ApprovalCase = queries.ApprovalCase
/** The limits of the columns `title` and `subject`. */
const maxTitleLength = 1000
const maxSubjectBytes = 400_000

type ApprovalId = { session_id: string; approval_id: string }

export async function listWaiting({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectWaiting.all(db, page), page, queries.waitingOrder)
}

export async function list({ db }: ReadContext, sessionId: string, page: PageQuery) {
  const rows = await queries.selectOfSession.all(db, sessionId, page)
  if (rows.length === 0 && !(await queries.selectCase.first(db, sessionId))) throwNotFound('Session')
  return toPage(rows, page, queries.approvalOrder)
}

export async function get({ db }: ReadContext, { session_id, approval_id }: ApprovalId): Promise<Approval> {
  return toApproval(await find(db, session_id, approval_id))
}

/**
 * Request an approval of the current step. Throw 409 if the step needs none, has one, or nobody else may
 * approve it.
 */
export async function requestForStep(
  ctx: WriteContext,
  sessionId: string,
  comment?: string,
): Promise<Approval> {
  const session = await sessions.requireInProgress(ctx.db, sessionId)
  const subject = await describeStep(session)
  if (!subject) throw new Problem('wrong_state', 'The current step needs no approval')
  return request(ctx, session, subject, comment)
}

/**
 * Insert a request, and notify everyone who may decide it. Throw 409 for a text that is too long for them to
 * read.
 */
export async function request(
  ctx: WriteContext,
  session: ApprovalCase & Pick<SessionRow, 'client_name' | 'ticket_number'>,
  exactSubject: ApprovalSubject,
  comment?: string,
): Promise<Approval> {
  const subject = toReadable(exactSubject)
  return inTransaction(ctx.db, async (db) => {
    await queries.voidOutdated.run(db, session.id, subject)
    const latest = await queries.selectLatest.first(db, session, subject)
    if (latest?.state === 'approved') throw new Problem('already_decided', 'This is approved already')
    const inserted = await queries.insertApproval
      .first(db, session, subject, comment ?? null)
      .catch(throwAlreadyPending)
    if (!inserted && session.is_ai_session)
      throw new Problem('wrong_state', 'The session has ended, or is no longer yours')
    if (!inserted)
      throw new Problem('step_not_current', undefined, {
        facts: { current_step_id: session.current_step_id },
      })
    const { id, approver_ids: userIds } = inserted
    if (userIds.length === 0) throw new Problem('no_approver')
    const approval = await find(db, session.id, id)
    const timezones = (await selectTimezones.all(db, userIds, false, null)).map(({ timezone }) => timezone)
    await enqueueEvent(db, {
      key: 'approval.requested',
      ...toEventFields(approval),
      actorId: ctx.caller.userId,
      requesterName: approval.requested_by_name ?? '',
      userIds,
      alert: toApprovalAlert(approval, { ...session, parameters: subject.parameters, timezones }),
    })
    await announceState(db, approval, 'pending', userIds)
    return toApproval(approval)
  })
}

/**
 * Approve or reject a pending request, and notify the technician. Throw 403 if the caller may not decide it,
 * and 409 if it is not pending.
 */
export async function decide(
  ctx: WriteContext,
  ids: ApprovalId,
  decision: 'approved' | 'rejected',
  comment = '',
): Promise<Approval> {
  return inTransaction(ctx.db, (db) => decideAs({ db, userId: ctx.caller.userId }, ids, decision, comment))
}

/** Decide as a user, in the transaction and the scope of `db`. */
export async function decideAs<Db extends WriteDb | PlatformDb>(
  { db, userId }: { db: Db; userId: string },
  { session_id, approval_id }: ApprovalId,
  decision: 'approved' | 'rejected',
  comment: string,
): Promise<Approval> {
  const decided = await queries.decideApproval.first(db, session_id, approval_id, decision, comment || null)
  const approval = await find(db, session_id, approval_id)
  if (!decided) throw createDecisionProblem(approval)
  await enqueueEvent(db, {
    key: 'approval.decided',
    ...toEventFields(approval),
    actorId: userId,
    approverName: approval.decided_by_name ?? '',
    isApproved: decision === 'approved',
    comment,
    userIds: listTechnicians(approval),
  })
  await announceState(db, approval, decision, [])
  return toApproval(approval)
}

/**
 * Withdraw a pending request, so that another one is possible. Throw 403 if somebody else requested it and
 * runs the session, and 409 if it is not pending.
 */
export async function withdraw(
  { db, caller }: WriteContext,
  { session_id, approval_id }: ApprovalId,
): Promise<Approval> {
  return inTransaction(db, async (db) => {
    const withdrawn = await queries.withdrawApproval(db, session_id, approval_id)
    const approval = await find(db, session_id, approval_id)
    if (!withdrawn && approval.state === 'pending' && !listTechnicians(approval).includes(caller.userId))
      throw new Problem('forbidden', 'Only who requested the approval, or runs the session, may withdraw it')
    if (!withdrawn) throw createDecisionProblem(approval)
    await announceState(db, approval, 'voided', [])
    return toApproval(approval)
  })
}

/**
 * Return the digest that an approval of this step must have. Undefined for a step that needs none. The digest
 * covers the text that the technician sees, so a variable that changes it needs another approval.
 */
export async function computeStepDigest(session: SessionRow): Promise<string | undefined> {
  return (await describeStep(session))?.digest
}

/** Create the problem for a step or script without a valid approval. It names the newest request, if any. */
export async function createRequiredProblem(
  db: ReadContext['db'],
  session: ApprovalCase,
  subject: queries.SubjectKey,
): Promise<Problem> {
  const latest = await queries.selectLatest.first(db, session, subject)
  return new Problem('approval_required', undefined, {
    facts: { approval: latest ? { id: latest.id, state: latest.state } : null },
  })
}

/**
 * Return the machine of the newest request to run a script on it in a case, as the runner named it then, or
 * null.
 */
export async function findMachine(
  { db }: Pick<ReadContext, 'db'>,
  session: ApprovalCase,
  scriptId: string,
  agentId: string,
): Promise<ScriptMachine | null> {
  const key = { kind: 'script', script: { id: scriptId }, machine: { agent_id: agentId } } as const
  const { agent_id, target, client_name } = (await queries.selectLatest.first(db, session, key)) ?? {}
  return agent_id && target !== null && client_name !== null
    ? ({ agent_id, target, client_name } as ScriptMachine)
    : null
}

/**
 * Return the id of the approval with which another user than the caller has approved exactly this script now,
 * or null.
 */
async function findApproved(
  ctx: Pick<WriteContext, 'db'>,
  session: ApprovalCase,
  subject: ApprovalSubject,
): Promise<string | null> {
  const latest = await queries.selectLatest.first(ctx.db, session, subject)
  return latest?.state === 'approved' && latest.digest === subject.digest && !latest.is_own_decision
    ? latest.id
    : null
}

/** Return the approval of a script, or null if it needs none. Throw 409 if it is not approved now. */
export async function requireApproved(
  ctx: Pick<WriteContext, 'db'>,
  session: ApprovalCase,
  subject: ApprovalSubject | null,
): Promise<string | null> {
  if (!subject) return null
  const id = await findApproved(ctx, session, subject)
  if (!id) throw await createRequiredProblem(ctx.db, session, subject)
  return id
}

/** Throw 409 for a script that needs no approval. */
export function requireRisky<T>(needed: T | null): T {
  if (needed === null) throw new Problem('wrong_state', 'A script of low risk needs no approval')
  return needed
}

/**
 * Expire the requests that nobody has decided in time or that nobody is left to decide, and notify their
 * technicians. Of concurrent sweeps only one expires a request.
 */
export async function expireDue(ctx: AccountSweepContext, budget: SweepBudget): Promise<void> {
  await sweepAccounts(ctx, await queries.selectAccountsWithEnded.all(ctx.platform), budget, expireInAccount)
}

/** Expire some requests of an account. Return whether there may be more. */
async function expireInAccount(db: WriteDb): Promise<boolean> {
  const requests = await queries.expireDue.all(db)
  for (const expired of requests) {
    await enqueueEvent(db, {
      key: 'approval.expired',
      ...toEventFields(expired),
      actorId: null,
      causedById: expired.requested_by,
      isNobodyLeft: expired.is_in_time,
      userIds: listTechnicians(expired),
    })
    await announceState(db, expired, 'expired', [])
  }
  return requests.length === queries.expiredAtOnce
}

async function describeStep(session: SessionRow): Promise<ApprovalSubject | undefined> {
  const { current_step_id, tree_structure } = session
  const step = current_step_id === null ? undefined : findAnswerableStep(tree_structure, current_step_id)
  if (!step?.approval) return undefined
  const { id, approval } = step
  const variables = collectVariables(session)
  // An approver reads the source: in an escaped value, a character could be overlooked.
  const [title, description] = [step.title, step.description].map((text) =>
    fillPlaceholders(text ?? '', variables),
  ) as [string, string]
  return {
    kind: 'step',
    title,
    subject: description,
    digest: await sha256Base64url(JSON.stringify([id, title, description])),
    script: null,
    machine: null,
    roles: approval.roles ?? [],
    userIds: approval.user_ids ?? [],
    validMinutes: approval.expires_after_minutes ?? defaultExpiryMinutes,
    riskReasons: [],
    parameters: [],
  }
}

/**
 * Return a subject whose text shows approvers what it contains. Throw 409 for a text that is too long for
 * them: variables can make that of a step so.
 */
function toReadable(subject: queries.ApprovalSubject): queries.ApprovalSubject {
  const [title, text] = [showDirectionControls(subject.title), showDirectionControls(subject.subject)]
  if (title.length > maxTitleLength)
    throw limitReached(
      'approval_title',
      maxTitleLength,
      `The title has over ${maxTitleLength} characters; shorten the variables in it`,
    )
  if (new TextEncoder().encode(text).length > maxSubjectBytes)
    throw limitReached(
      'approval_text',
      maxSubjectBytes,
      `The text has over ${maxSubjectBytes} bytes; shorten the variables in it`,
    )
  return { ...subject, title, subject: text }
}

type EventSource = Pick<
  queries.ApprovalRow,
  'id' | 'session_id' | 'case_kind' | 'title' | 'team_id' | 'requested_by' | 'runner_id'
>

function toEventFields({ id, session_id, case_kind, title, team_id }: EventSource) {
  return { approvalId: id, sessionId: session_id, caseKind: case_kind, subjectTitle: title, teamId: team_id }
}

function listTechnicians({ requested_by, runner_id }: EventSource): string[] {
  return [...new Set([requested_by, runner_id])]
}

/** Send the new state to the account's open streams. */
function announceState(
  db: WriteDb | PlatformDb,
  approval: EventSource,
  state: 'pending' | 'approved' | 'rejected' | 'expired' | 'voided',
  approverIds: readonly string[],
): Promise<void> {
  const { id, session_id, requested_by } = approval
  return enqueueLiveEvent(db, 'approval_changed', {
    approval_id: id,
    session_id,
    state,
    requested_by,
    approver_ids: approverIds,
  })
}

function createDecisionProblem({ state, decided_by, decided_at }: queries.ApprovalRow): Problem {
  const facts = { state, decided_by, decided_at }
  if (decided_by !== null) return new Problem('already_decided', undefined, { facts })
  if (state !== 'pending') return new Problem('wrong_state', `This request is ${state}`, { facts })
  return new Problem('forbidden', 'You may not decide this request')
}

function throwAlreadyPending(error: unknown): never {
  throw getViolatedConstraint(error) === 'approvals_pending'
    ? new Problem('already_pending', 'A request for this is still open')
    : error
}

async function find(
  db: ReadContext['db'] | PlatformDb,
  sessionId: string,
  id: string,
): Promise<queries.ApprovalRow> {
  return (await queries.selectApproval.first(db, sessionId, id)) ?? throwNotFound('Approval')
}

function toApproval({
  team_id: _,
  runner_id: __,
  digest: ___,
  is_own_decision: ____,
  ...approval
}: queries.ApprovalRow): Approval {
  return approval
}
