import { type PageQuery, toPage } from '#db/page.ts'
import { retryOnConflict } from '#db/retry.ts'
import type { Session, Variables } from '#functions/sessions/sessions/schemas.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { limitReached, Problem } from '#problem.ts'
import { applyDefaults } from '#rules/flows/intake-answers.ts'
import type { RunState, SessionRow } from '#rules/flows/session-row.ts'
import { findAnswerableStep, getFirstStepId, getPosition } from '#rules/flows/step-navigation.ts'
import { maxSubflowDepth } from '#rules/flows/subflow.ts'
import type { Subflow } from '#rules/flows/subflow-schema.ts'
import { collectInputs, needsSecrets } from '#rules/flows/subflow-variables.ts'
import * as queries from './queries.ts'
import type { SubflowStart } from './schemas.ts'

const maxSubflows = 200

export async function list({ db }: ReadContext, id: string, page: PageQuery) {
  const rows = await queries.selectSubflowSessions.all(db, id, page)
  if (rows.length === 0) await sessions.find(db, id)
  return toPage(rows.map(sessions.toListItem), page, queries.subflowOrder)
}

/** Start the flow that the current step runs. The session then waits for it. */
export async function start(
  { db, vault }: WriteContext,
  id: string,
  { variables = {} }: SubflowStart,
): Promise<Session> {
  return retryOnConflict('session', async () => {
    const parent = await sessions.requireEditable(db, id)
    const subflow = requireSubflow(parent)
    const flow = await findSubflow(db, subflow, queries.selectAncestors.all(db, parent.id))
    const inputs = collectInputs(
      subflow,
      parent,
      flow.intake_form,
      await readSecrets({ db, vault }, parent, subflow),
    )
    const answers = applyDefaults(flow.intake_form, { ...inputs, ...variables })
    sessions.requireValidAnswers(flow.intake_form, answers, true, {})
    const session = await sessions.buildNewSession(vault, flow.intake_form, {}, answers)
    const position = getPosition(flow.tree_structure, getFirstStepId(flow.tree_structure))
    const started = await queries
      .startSubflow(db, parent, { ...session, flow, ...position })
      .catch(sessions.throwVariablesTooLarge)
    return started && sessions.toSession(started)
  })
}

/**
 * Return the sub-flow of the current step. Throw 409 if the session does not wait for an answer to such a
 * step.
 */
export function requireSubflow(parent: RunState): Subflow {
  if (parent.state !== 'in_progress') throw sessions.editProblem(parent)
  if (parent.subflow_session_id)
    throw new Problem('subflow_running', undefined, { facts: { session_id: parent.subflow_session_id } })
  const step = findAnswerableStep(parent.tree_structure, parent.current_step_id ?? '')
  return (
    step?.subflow ?? throwUnavailable('no_subflow', 'The current step runs no other flow; answer it by hand')
  )
}

/** A session that a sub-flow would be below, with the number of its sub-flows. */
interface Ancestor {
  tree_id: string
  subflows: number
}

/**
 * Return the current version of the flow. Throw 409 with the reason if it cannot be run below the
 * `running` sessions, of which the first runs it.
 */
export async function findSubflow(
  db: ReadContext['db'],
  { tree_id }: Subflow,
  running: readonly Ancestor[] | Promise<readonly Ancestor[]>,
): Promise<sessions.RunnableFlow> {
  const [ancestors, flow] = await Promise.all([
    running,
    sessions.findRunnable(db, tree_id).catch(throwNotRunnable),
  ])
  if (ancestors.some((ancestor) => ancestor.tree_id === tree_id))
    throwUnavailable(
      'cycle',
      'The flow of this step is running already and would run itself; answer the step by hand',
    )
  if (ancestors.length > maxSubflowDepth)
    throwUnavailable(
      'depth',
      `Sub-flows can be nested at most ${maxSubflowDepth} levels deep; answer the step by hand`,
    )
  if ((ancestors[0]?.subflows ?? 0) >= maxSubflows)
    throw limitReached('subflows', maxSubflows, `A session can have at most ${maxSubflows} sub-flows`)
  return flow
}

function throwNotRunnable(error: unknown): never {
  if (error instanceof Problem && error.kind === 'not_found')
    throwUnavailable(
      'not_found',
      'The flow of this step was deleted or is not shared with you; answer the step by hand',
    )
  if (error instanceof Problem && error.kind === 'not_published')
    throwUnavailable('not_published', 'The flow of this step is not published; answer the step by hand')
  throw error
}

function throwUnavailable(
  reason: 'no_subflow' | 'not_found' | 'not_published' | 'cycle' | 'depth',
  detail: string,
): never {
  throw new Problem('subflow_unavailable', detail, { facts: { reason } })
}

/** Return the secret answers of the session in clear, or none if no input of the sub-flow uses one. */
async function readSecrets(
  ctx: Pick<WriteContext, 'db' | 'vault'>,
  parent: SessionRow,
  subflow: Subflow,
): Promise<Record<string, string>> {
  if (!needsSecrets(subflow, parent)) return {}
  const answers: Variables = await sessions.readAnswers(ctx, parent.id)
  return Object.fromEntries(
    parent.secret_keys.flatMap((key) => (typeof answers[key] === 'string' ? [[key, answers[key]]] : [])),
  )
}
