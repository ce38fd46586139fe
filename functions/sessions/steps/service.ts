import { ignoreMissingRow } from '#db/required-row.ts'
import { changeSession, lockParentSession, readSession, type UpdateResult } from '#db/rows/sessions.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import type { Session, SessionChanges } from '#functions/sessions/sessions/schemas.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { invalidField, invalidRequest, limitReached, Problem } from '#problem.ts'
import { findEvidenceMismatches, type ProvidedEvidence, toProvidedEvidence } from '#rules/flows/evidence.ts'
import type { RunState, SessionRow } from '#rules/flows/session-row.ts'
import {
  findAnswerableStep,
  findAnswerMismatch,
  getNextStepId,
  getPosition,
  type StepPosition,
} from '#rules/flows/step-navigation.ts'
import type { FlowNode, FlowStep } from '#rules/flows/structure.ts'
import { getSubflowAnswer } from '#rules/flows/subflow.ts'
import { collectOutputs } from '#rules/flows/subflow-variables.ts'
import { enqueueWebhooks } from '#work/webhooks.ts'
import * as queries from './queries.ts'
import type { DecisionCreate, SessionCompletion } from './schemas.ts'

const maxFallbacks = 500

type Answer = Omit<DecisionCreate, 'started_at' | 'duration_seconds'>

/**
 * Record the answer to the current step and move to the next. A fallback without an answer is recorded, and
 * the current step stays.
 */
export async function recordDecision({ db }: WriteContext, id: string, decision: DecisionCreate) {
  const session = await sessions.requireInProgress(db, id)
  const step = requireValidDecision(session, decision)
  const isAnswer = decision.option_id !== undefined || decision.outcome !== undefined
  if (!isAnswer)
    return toChangedSession(await changeSession(db, id, queries.insertFallback.query(session, decision)))
  const evidence = requireEvidence(step, decision)
  const digest = await approvals.computeStepDigest(session)
  const approval = digest === undefined ? null : { digest, session }
  const insert = queries.insertDecision.query(
    session,
    getNextPosition(session, decision),
    { ...decision, evidence },
    { approval },
  )
  const result = await changeSession(db, id, insert).catch(createAnswerErrorHandler(evidence))
  if (approval && !result.isChanged && isUnchanged(session, result.session))
    throw await approvals.createRequiredProblem(db, session, { kind: 'step', script: null, machine: null })
  return toChangedSession(result)
}

/** Return what an answer has changed in a session. */
export function toChanges(session: Session): SessionChanges {
  const {
    id,
    state,
    outcome,
    current_step_id,
    current_step,
    procedure_end,
    timer_due_at,
    subflow_session_id,
    progress,
  } = session
  return {
    id,
    state,
    outcome,
    current_step_id,
    current_step,
    procedure_end,
    timer_due_at,
    subflow_session_id,
    progress,
    decision: session.decisions.at(-1) ?? null,
    fallback_decision: session.fallback_decisions.at(-1) ?? null,
  }
}

/**
 * Return whether a session is still in progress at the position at which it was read, and the caller may
 * change it.
 */
function isUnchanged({ current_step_id, answered }: SessionRow, session: SessionRow | undefined): boolean {
  return (
    session?.state === 'in_progress' &&
    session.may_change &&
    session.current_step_id === current_step_id &&
    session.answered === answered
  )
}

/** Delete the last answer. Its step becomes the current one. */
export async function undoDecision({ db }: WriteContext, id: string) {
  const session = await sessions.requireInProgress(db, id)
  if (session.subflow_session_id) throw createStepProblem(session)
  const lastDecision = session.decisions.at(-1)
  if (!lastDecision) throw new Problem('no_decision')
  const deletion = queries.deleteLastDecision.query(
    session,
    getPosition(session.tree_structure, lastDecision.step_id),
    lastDecision.step_id,
  )
  return toChangedSession(await changeSession(db, id, deletion))
}

export async function complete({ db }: WriteContext, id: string, completion: SessionCompletion) {
  const { query, toSession } = readSession(id)
  const [completed, rows] = await db.batch([queries.completeSession.query(id, completion), query])
  const session = toSession(rows)
  const isOpenSubflow =
    session?.may_change && session.state === 'in_progress' && session.parent_session_id !== null
  if (isOpenSubflow) return completeSubflow({ db }, session, completion)
  enqueueWebhooks(db, completed[0]?.webhook_delivery_ids ?? [])
  return toChangedSession({ isChanged: completed.length > 0, session })
}

/**
 * Complete the session of a sub-flow. In the same transaction the session that waits for it gets its answer
 * and its variables.
 */
async function completeSubflow(
  { db }: Pick<WriteContext, 'db'>,
  session: SessionRow,
  completion: SessionCompletion,
) {
  const parent = await sessions.find(db, session.parent_session_id ?? '')
  const { query, toSession } = readSession(session.id)
  const statements = [
    lockParentSession.query(session.id),
    queries.completeSubflowSession.query(session.id, completion, parent.id),
    createParentChange(parent, completion, {
      id: session.id,
      outputs: collectOutputs(parent, session),
    }),
    query,
  ] as const
  const results = await db.batch(statements).catch(ignoreMissingRow)
  if (!results) return toChangedSession({ isChanged: false, session: await sessions.find(db, session.id) })
  const [, completed, , rows] = results
  enqueueWebhooks(db, completed[0]?.webhook_delivery_ids ?? [])
  return toChangedSession({ isChanged: true, session: toSession(rows) })
}

/**
 * Return the statement that continues the parent: it answers the step if the outcome does, and otherwise the
 * parent stays at the step.
 */
function createParentChange(
  parent: SessionRow,
  { outcome }: SessionCompletion,
  subflow: queries.CompletedSubflow,
) {
  const step = findAnswerableStep(parent.tree_structure, parent.current_step_id ?? '')
  const answer = step && getSubflowAnswer(step, outcome)
  if (!step || !answer) return queries.releaseParent.query(parent, subflow)
  const decision = { step_id: step.id, ...answer, evidence: [] }
  return queries.insertDecision.query(parent, getNextPosition(parent, decision), decision, { subflow })
}

/** Return the current step. Throw 409 for another one, and 422 for an answer that does not match it. */
export function requireValidDecision(
  session: RunState,
  { step_id, option_id, outcome, fallback }: Answer,
): FlowNode | FlowStep {
  const step =
    session.current_step_id === step_id ? findAnswerableStep(session.tree_structure, step_id) : undefined
  if (!step || session.subflow_session_id) throw createStepProblem(session)
  const mismatch =
    option_id === undefined && outcome === undefined ? null : findAnswerMismatch(step, { option_id, outcome })
  if (mismatch) throw invalidField(['body', mismatch.field], mismatch.msg, 'unknown')
  if (!fallback) return step
  const isKnownFallback =
    'fallback_steps' in step && step.fallback_steps?.some(({ id }) => id === fallback.fallback_step_id)
  if (!isKnownFallback)
    throw invalidField(
      ['body', 'fallback', 'fallback_step_id'],
      'must be the id of a fallback step of the current step',
      'unknown',
    )
  if (session.fallback_decisions.length >= maxFallbacks)
    throw limitReached(
      'fallback_steps',
      maxFallbacks,
      `A session can have at most ${maxFallbacks} fallback steps`,
    )
  return step
}

/** Return the evidence of an answer as it is stored. Throw 422 with everything that is missing or wrong. */
export function requireEvidence(step: FlowNode | FlowStep, { note, evidence }: Answer): ProvidedEvidence[] {
  const requirements = step.evidence ?? []
  const mismatches = findEvidenceMismatches(requirements, { note, evidence })
  if (mismatches.length > 0)
    throw invalidRequest(
      mismatches.map(({ field, key, message, isMissing }) => ({
        loc: key === null ? ['body', field] : ['body', field, key],
        msg: message,
        type: isMissing ? 'missing' : 'invalid',
      })),
    )
  return toProvidedEvidence(requirements, evidence)
}

/**
 * Create a `catch` handler that turns an upload that does not exist, or a start in the future, into a 422.
 */
function createAnswerErrorHandler(evidence: readonly ProvidedEvidence[]) {
  return (error: unknown): never => {
    const constraint = getViolatedConstraint(error)
    if (constraint === 'session_decisions_started')
      throw invalidField(['body', 'started_at'], 'must not be in the future', 'future')
    const isUnknown = constraint === 'session_evidence_account_id_upload_id_fkey'
    throw isUnknown ? unknownUpload(evidence) : error
  }
}

/** 422 for an upload that does not exist. It names the key if only one screenshot was provided. */
export function unknownUpload(evidence: readonly ProvidedEvidence[]): Problem {
  const keys = evidence.filter(({ upload_id }) => upload_id !== null).map(({ key }) => key)
  const loc = ['body', 'evidence', ...(keys.length === 1 ? keys : [])]
  return invalidField(loc, 'must be the id of an existing upload', 'unknown')
}

export function getNextPosition(
  { tree_structure }: Pick<RunState, 'tree_structure'>,
  { step_id, option_id }: Pick<DecisionCreate, 'step_id' | 'option_id'>,
): StepPosition {
  return getPosition(tree_structure, getNextStepId(tree_structure, step_id, option_id))
}

/** Return the session after a change. If the change was not written, throw 404, 403 or 409. */
export function toChangedSession({ isChanged, session }: UpdateResult) {
  if (isChanged && session) return sessions.toSession(session)
  throw session?.may_change && session.state === 'in_progress'
    ? createStepProblem(session)
    : sessions.editProblem(session)
}

export function createStepProblem({ current_step_id, subflow_session_id }: RunState): Problem {
  if (subflow_session_id)
    return new Problem('subflow_running', undefined, { facts: { session_id: subflow_session_id } })
  return new Problem('step_not_current', undefined, { facts: { current_step_id } })
}
