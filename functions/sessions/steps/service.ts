import type { Changed } from '../../../lib/db/rows/sessions.ts'
import { withCustomSteps } from '../../../lib/flows/custom-steps.ts'
import { findStep, hasStep, misfit, remainingFrom, stepAfter } from '../../../lib/flows/run.ts'
import type { SessionRow } from '../../../lib/flows/session.ts'
import { walkAll } from '../../../lib/flows/walk.ts'
import type { Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as library from '../../flows/step-library/service.ts'
import * as trees from '../../flows/trees/service.ts'
import * as sessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { Complete, CustomStepCreate, Decide, SaveAsTree } from './schemas.ts'

const mostCustomSteps = 100
const mostFallbacks = 500

/** Answers the current step and goes on to the next; a fallback alone is noted, and the session stays. */
export async function decide({ db }: Writer, id: string, answer: Decide) {
  const session = await findOpen(db, id)
  checkDecision(session, answer)
  const answers = answer.option_id !== undefined || answer.outcome !== undefined
  const changed = answers
    ? await queries.insertDecision(db, session, following(session, answer), answer)
    : await queries.insertFallback(db, session, answer)
  return settled(changed)
}

/** Takes the last answer back: its step is the current one again. */
export async function back({ db }: Writer, id: string) {
  const session = await findOpen(db, id)
  const last = session.decisions.at(-1)
  if (!last) throw new Problem('conflict', 'There is no decision to take back', { code: 'no_decision' })
  const remaining = remainingFrom(session.tree_structure, last.step_id)
  return settled(await queries.deleteLastDecision(db, session, { current_step_id: last.step_id, remaining }))
}

/** Notes a step that the flow does not have, at its place; the current step stays. */
export async function addCustomStep({ db }: Writer, id: string, given: CustomStepCreate) {
  const session = await findOpen(db, id)
  if (session.custom_steps.length >= mostCustomSteps)
    throw new Problem('conflict', `A session holds at most ${mostCustomSteps} custom steps`, { code: 'custom_step_limit_reached' })
  const after_step_id = given.after_step_id ?? session.current_step_id ?? session.decisions.at(-1)?.step_id ?? ''
  if (!hasStep(session.tree_structure, after_step_id)) throw unknown('after_step_id', 'No such step of this flow')
  const source = await sourceOf({ db }, given)
  const { title = source.title, description = source.description, library_step_id, node_id } = given
  if (!title.trim()) throw unknown('title', 'Where it comes from has no title: give one')
  const step = { source: given.source, after_step_id, title: title.trim(), description, library_step_id, node_id, tree: source.tree }
  return settled(await queries.insertCustomStep(db, id, step))
}

export async function complete({ db }: Writer, id: string, given: Complete) {
  return settled(await queries.completeSession(db, id, given))
}

/** A draft of one's own: the flow as it was run, with the custom steps at their places, forked from the session's flow. */
export async function saveAsTree({ db }: Writer, id: string, { name, description }: SaveAsTree) {
  const session = await sessions.findOwn(db, id)
  const { tree_type, category, intake_form, tree_account_id, tree_id } = session
  const taken = new Map(session.decisions.map(({ step_id, option_id }) => [step_id, option_id]))
  const content = {
    ...{ name, tree_type, intake_form, status: 'draft' as const },
    description: description ?? session.description,
    tree_structure: withCustomSteps(session.tree_structure, session.custom_steps, taken),
    ...(category === null ? {} : { category }),
  }
  return trees.create({ db }, content, { parent: { account_id: tree_account_id, id: tree_id, reason: null } })
}

/** A session in progress that the caller may change. */
async function findOpen(db: Writer['db'], id: string): Promise<SessionRow> {
  const session = await sessions.findOwn(db, id)
  if (session.state !== 'in_progress') throw sessions.refusal(session)
  return session
}

function checkDecision(session: SessionRow, { step_id, option_id, outcome, fallback }: Decide): void {
  const step = session.current_step_id === step_id ? findStep(session.tree_structure, step_id) : undefined
  if (!step) throw notCurrent(session)
  const wrong = option_id === undefined && outcome === undefined ? null : misfit(step, { option_id, outcome })
  if (wrong) throw unknown(wrong.field, wrong.msg)
  if (!fallback) return
  const has = 'fallback_steps' in step && step.fallback_steps?.some(({ id }) => id === fallback.fallback_step_id)
  if (!has) throw invalid([{ loc: ['body', 'fallback', 'fallback_step_id'], msg: 'No such fallback step of this step', type: 'unknown' }])
  if (session.fallback_decisions.length >= mostFallbacks)
    throw new Problem('conflict', `A session holds at most ${mostFallbacks} fallback steps`, { code: 'fallback_limit_reached' })
}

function following({ tree_structure }: SessionRow, { step_id, option_id }: Decide): queries.Next {
  const current_step_id = stepAfter(tree_structure, step_id, option_id)
  return { current_step_id, remaining: remainingFrom(tree_structure, current_step_id) }
}

/** The session after a change; one that was not made came too late, for somebody else moved the session. */
function settled({ done, session }: Changed) {
  if (done && session) return sessions.shown(session)
  throw session?.may_change && session.state === 'in_progress' ? notCurrent(session) : sessions.refusal(session)
}

function notCurrent({ current_step_id }: SessionRow): Problem {
  return new Problem('conflict', 'This is not the current step', { code: 'step_not_current', facts: { current_step_id } })
}

interface Source {
  title: string
  description: string
  tree?: { account_id: string; id: string }
}

/** What a custom step is when nothing else is said of it. */
async function sourceOf(ctx: Pick<Writer, 'db'>, { library_step_id, tree_id, node_id }: CustomStepCreate): Promise<Source> {
  if (library_step_id) return library.get(ctx, library_step_id).catch(orUnknown('library_step_id', 'No such library step'))
  if (!tree_id) return { title: '', description: '' }
  const { account_id, id, tree_structure } = await trees.find(ctx.db, tree_id).catch(orUnknown('tree_id', 'No such flow'))
  for (const { node } of tree_structure ? walkAll(tree_structure) : [])
    if (node.id === node_id) return { title: node.title ?? '', description: node.description ?? '', tree: { account_id, id } }
  throw unknown('node_id', 'No such node of this flow')
}

/** What a body names and nobody may see is a value that does not do, not a path that leads nowhere. */
function orUnknown(field: string, msg: string) {
  return (error: unknown): never => {
    throw error instanceof Problem && error.kind === 'not_found' ? unknown(field, msg) : error
  }
}

function unknown(field: string, msg: string): Problem {
  return invalid([{ loc: ['body', field], msg, type: 'unknown' }])
}
