import { changeSession } from '#db/rows/sessions.ts'
import * as library from '#functions/flows/step-library/service.ts'
import * as trees from '#functions/flows/trees/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { CustomStepCreate, SaveAsTree } from '#functions/sessions/steps/schemas.ts'
import { toChangedSession } from '#functions/sessions/steps/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { invalidField, limitReached, Problem, unknownId } from '#problem.ts'
import { insertCustomSteps } from '#rules/flows/custom-steps.ts'
import type { RunState } from '#rules/flows/session-row.ts'
import { containsStep } from '#rules/flows/step-navigation.ts'
import { walkAll } from '#rules/flows/walk.ts'
import * as queries from './queries.ts'

const maxCustomSteps = 100

/** Record a step that is not part of the flow. The current step stays. */
export async function add({ db }: WriteContext, id: string, input: CustomStepCreate) {
  const session = await sessions.requireInProgress(db, id)
  const after_step_id =
    input.after_step_id ?? session.current_step_id ?? session.decisions.at(-1)?.step_id ?? ''
  requirePlace(session, after_step_id)
  const source = await findStepSource({ db }, input)
  const { title = source.title, description = source.description, library_step_id, node_id } = input
  if (!title.trim()) throw unknownValue('title', 'is required because the source has no title')
  const step = {
    source: input.source,
    after_step_id,
    title: title.trim(),
    description,
    library_step_id,
    node_id,
    tree: source.tree,
  }
  return toChangedSession(await changeSession(db, id, queries.insertCustomStep.query(id, step)))
}

/** Throw 409 if a session has no room for another custom step, and 422 if it has no such step to follow. */
export function requirePlace({ custom_steps, tree_structure }: RunState, after_step_id: string): void {
  if (custom_steps.length >= maxCustomSteps)
    throw limitReached(
      'custom_steps',
      maxCustomSteps,
      `A session can have at most ${maxCustomSteps} custom steps`,
    )
  if (!containsStep(tree_structure, after_step_id))
    throw unknownValue('after_step_id', 'must be the id of a step of this flow')
}

/** Create a draft that forks the session's flow, with the custom steps inserted where they were done. */
export async function saveAsTree(ctx: WriteContext, id: string, { name, description }: SaveAsTree) {
  const session = await sessions.requireEditable(ctx.db, id)
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
  return trees.create(ctx, content, { parent: { account_id: tree_account_id, id: tree_id, reason: null } })
}

interface StepSource {
  title: string
  description: string
  tree?: { account_id: string; id: string }
}

/**
 * Return the default title and description of a custom step: those of the library step or node, or empty
 * texts for an ad-hoc step.
 */
async function findStepSource(
  ctx: Pick<WriteContext, 'db'>,
  { library_step_id, tree_id, node_id }: CustomStepCreate,
): Promise<StepSource> {
  if (library_step_id)
    return library.get(ctx, library_step_id).catch(throwInvalidIfNotFound('library_step_id', 'library step'))
  if (!tree_id) return { title: '', description: '' }
  const { account_id, id, tree_structure } = await trees
    .find(ctx.db, tree_id)
    .catch(throwInvalidIfNotFound('tree_id', 'flow'))
  for (const { node } of tree_structure ? walkAll(tree_structure) : [])
    if (node.id === node_id)
      return { title: node.title ?? '', description: node.description ?? '', tree: { account_id, id } }
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
