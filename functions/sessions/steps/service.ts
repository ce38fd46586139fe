import { changeSession, selectSession, type UpdateResult } from '../../../lib/db/rows/sessions.ts'
import { insertCustomSteps } from '../../../lib/flows/custom-steps.ts'
import type { SessionRow } from '../../../lib/flows/session-row.ts'
import {
  containsStep,
  countRemainingAnswers,
  findAnswerableStep,
  findAnswerMismatch,
  getNextStepId,
} from '../../../lib/flows/step-navigation.ts'
import { walkAll } from '../../../lib/flows/walk.ts'
import type { WriteContext } from '../../../lib/http/operation.ts'
import { enqueueWebhooks } from '../../../lib/outbox/webhooks.ts'
import { invalidField, limitReached, Problem, unknownId } from '../../../lib/problem.ts'
import * as library from '../../flows/step-library/service.ts'
import * as trees from '../../flows/trees/service.ts'
import * as sessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { CustomStepCreate, DecisionCreate, SaveAsTree, SessionCompletion } from './schemas.ts'

const maxCustomSteps = 100
const maxFallbacks = 500

/** Record the answer to the current step and move to the next. A fallback without an answer is recorded, and the current step stays. */
export async function recordDecision({ db }: WriteContext, id: string, decision: DecisionCreate) {
  const session = await requireInProgress(db, id)
  requireValidDecision(session, decision)
  const isAnswer = decision.option_id !== undefined || decision.outcome !== undefined
  const insert = isAnswer
    ? queries.insertDecision.query(session, getNextPosition(session, decision), decision)
    : queries.insertFallback.query(session, decision)
  return toChangedSession(await changeSession(db, id, insert))
}

/** Delete the last answer. Its step becomes the current one. */
export async function undoDecision({ db }: WriteContext, id: string) {
  const session = await requireInProgress(db, id)
  const lastDecision = session.decisions.at(-1)
  if (!lastDecision) throw new Problem('no_decision')
  const remaining = countRemainingAnswers(session.tree_structure, lastDecision.step_id)
  const deletion = queries.deleteLastDecision.query(session, { current_step_id: lastDecision.step_id, remaining })
  return toChangedSession(await changeSession(db, id, deletion))
}

/** Record a step that is not part of the flow. The current step stays. */
export async function addCustomStep({ db }: WriteContext, id: string, input: CustomStepCreate) {
  const session = await requireInProgress(db, id)
  if (session.custom_steps.length >= maxCustomSteps)
    throw limitReached('custom_steps', maxCustomSteps, `A session can have at most ${maxCustomSteps} custom steps`)
  const after_step_id = input.after_step_id ?? session.current_step_id ?? session.decisions.at(-1)?.step_id ?? ''
  if (!containsStep(session.tree_structure, after_step_id)) throw unknownValue('after_step_id', 'must be the id of a step of this flow')
  const source = await findStepSource({ db }, input)
  const { title = source.title, description = source.description, library_step_id, node_id } = input
  if (!title.trim()) throw unknownValue('title', 'is required because the source has no title')
  const step = { source: input.source, after_step_id, title: title.trim(), description, library_step_id, node_id, tree: source.tree }
  return toChangedSession(await changeSession(db, id, queries.insertCustomStep.query(id, step)))
}

export async function complete({ db }: WriteContext, id: string, completion: SessionCompletion) {
  const [completed, sessionRows] = await db.batch([queries.completeSession.query(id, completion), selectSession.query(id)])
  enqueueWebhooks(db, completed[0]?.webhook_delivery_ids ?? [])
  return toChangedSession({ isChanged: completed.length > 0, session: sessionRows[0] })
}

/** Create a draft that forks the session's flow, with the custom steps inserted where they were done. */
export async function saveAsTree({ db }: WriteContext, id: string, { name, description }: SaveAsTree) {
  const session = await sessions.requireEditable(db, id)
  const { tree_type, category, intake_form, tree_account_id, tree_id } = session
  const chosenOptions = new Map(session.decisions.map(({ step_id, option_id }) => [step_id, option_id]))
  const content = {
    name,
    tree_type,
    intake_form,
    status: 'draft' as const,
    description: description ?? session.description,
    tree_structure: insertCustomSteps(session.tree_structure, session.custom_steps, chosenOptions),
    ...(category === null ? {} : { category }),
  }
  return trees.create({ db }, content, { parent: { account_id: tree_account_id, id: tree_id, reason: null } })
}

/** Return a session in progress that the caller may change; throw 404, 403 or 409. */
async function requireInProgress(db: WriteContext['db'], id: string): Promise<SessionRow> {
  const session = await sessions.requireEditable(db, id)
  if (session.state !== 'in_progress') throw sessions.editProblem(session)
  return session
}

function requireValidDecision(session: SessionRow, { step_id, option_id, outcome, fallback }: DecisionCreate): void {
  const step = session.current_step_id === step_id ? findAnswerableStep(session.tree_structure, step_id) : undefined
  if (!step) throw createStepProblem(session)
  const mismatch = option_id === undefined && outcome === undefined ? null : findAnswerMismatch(step, { option_id, outcome })
  if (mismatch) throw unknownValue(mismatch.field, mismatch.msg)
  if (!fallback) return
  const isKnownFallback = 'fallback_steps' in step && step.fallback_steps?.some(({ id }) => id === fallback.fallback_step_id)
  if (!isKnownFallback)
    throw invalidField(['body', 'fallback', 'fallback_step_id'], 'must be the id of a fallback step of the current step', 'unknown')
  if (session.fallback_decisions.length >= maxFallbacks)
    throw limitReached('fallback_steps', maxFallbacks, `A session can have at most ${maxFallbacks} fallback steps`)
}

function getNextPosition({ tree_structure }: SessionRow, { step_id, option_id }: DecisionCreate): queries.NextPosition {
  const current_step_id = getNextStepId(tree_structure, step_id, option_id)
  return { current_step_id, remaining: countRemainingAnswers(tree_structure, current_step_id) }
}

/** Return the session after a change. If the change was not written, throw 404, 403 or 409. */
function toChangedSession({ isChanged, session }: UpdateResult) {
  if (isChanged && session) return sessions.toSession(session)
  throw session?.may_change && session.state === 'in_progress' ? createStepProblem(session) : sessions.editProblem(session)
}

function createStepProblem({ current_step_id }: SessionRow): Problem {
  return new Problem('step_not_current', undefined, { facts: { current_step_id } })
}

interface StepSource {
  title: string
  description: string
  tree?: { account_id: string; id: string }
}

/** Return the default title and description of a custom step: those of the library step or node, or empty texts for an ad-hoc step. */
async function findStepSource(ctx: Pick<WriteContext, 'db'>, { library_step_id, tree_id, node_id }: CustomStepCreate): Promise<StepSource> {
  if (library_step_id) return library.get(ctx, library_step_id).catch(throwInvalidIfNotFound('library_step_id', 'library step'))
  if (!tree_id) return { title: '', description: '' }
  const { account_id, id, tree_structure } = await trees.find(ctx.db, tree_id).catch(throwInvalidIfNotFound('tree_id', 'flow'))
  for (const { node } of tree_structure ? walkAll(tree_structure) : [])
    if (node.id === node_id) return { title: node.title ?? '', description: node.description ?? '', tree: { account_id, id } }
  throw unknownValue('node_id', 'must be the id of a node of this flow')
}

/** Create a `catch` handler that turns a 404 into a 422 for `field`. */
function throwInvalidIfNotFound(field: string, resource: string) {
  return (error: unknown): never => {
    throw error instanceof Problem && error.kind === 'not_found' ? unknownId(field, resource) : error
  }
}

function unknownValue(field: string, msg: string): Problem {
  return invalidField(['body', field], msg, 'unknown')
}
