import { type FlowProblem, problemAt } from './problems.ts'
import type { Flow } from './structure.ts'
import { listSubflows, maxSubflowDepth, type SubflowReference } from './subflow.ts'

const answerableTypes: readonly string[] = ['decision', 'action', 'solution', 'procedure_step']

/**
 * Return the problems of sub-flows that the flow alone shows. Whether a sub-flow exists is checked in the
 * database.
 */
export function validateSubflows({ tree_structure, intake_form }: Flow): FlowProblem[] {
  const secretKeys = new Set(intake_form.filter(({ secret }) => secret).map(({ key }) => key))
  return listSubflows(tree_structure).flatMap((reference) => [
    ...validatePlace(reference),
    ...validateOptions(reference),
    ...Object.keys(reference.subflow.outputs ?? {}).flatMap((key) =>
      secretKeys.has(key)
        ? [
            problemAt(
              reference.node,
              reference.path,
              `subflow.outputs.${key}`,
              `A sub-flow cannot fill the secret field ${key}`,
            ),
          ]
        : [],
    ),
  ])
}

function validatePlace({ node, path }: SubflowReference): FlowProblem[] {
  return answerableTypes.includes(node.type)
    ? []
    : [problemAt(node, path, 'subflow', 'Only a step with an answer can run a sub-flow')]
}

function validateOptions({ node, path, subflow }: SubflowReference): FlowProblem[] {
  const outcomes = Object.entries(subflow.options ?? {}).filter(([, id]) => id)
  if (node.type !== 'decision')
    return outcomes.length > 0
      ? [problemAt(node, path, 'subflow.options', 'Only the sub-flow of a decision can choose options')]
      : []
  const optionIds = new Set(('options' in node ? (node.options ?? []) : []).map(({ id }) => id))
  return outcomes.flatMap(([outcome, id]) =>
    optionIds.has(id ?? '')
      ? []
      : [problemAt(node, path, `subflow.options.${outcome}`, `This decision has no option ${id}`)],
  )
}

/** What the database says about the flows that a flow runs. */
export interface SubflowState {
  /** The flows that the caller sees. */
  flows: readonly { id: string; name: string; status: string; visibility: string }[]
  problems: readonly { child_tree_id: string | null; problem: 'cycle' | 'depth' }[]
}

/**
 * Return the problems of sub-flows that need the state of other flows. `visibility` is that of the flow
 * itself.
 */
export function validateSubflowState(
  references: readonly SubflowReference[],
  { flows, problems }: SubflowState,
  visibility: string,
) {
  const flowById = new Map(flows.map((flow) => [flow.id, flow]))
  const cycles = new Set(
    problems.filter(({ problem }) => problem === 'cycle').map(({ child_tree_id }) => child_tree_id),
  )
  const at = ({ node, path }: SubflowReference, message: string) =>
    problemAt(node, path, 'subflow.tree_id', message)
  const errors = references.flatMap((reference) => {
    const flow = flowById.get(reference.subflow.tree_id)
    if (!flow)
      return [at(reference, `The flow ${reference.subflow.tree_id} does not exist, or you cannot see it`)]
    if (cycles.has(flow.id))
      return [at(reference, `The flow “${flow.name}” runs this flow, so this flow would run itself`)]
    return flow.status === 'published' ? [] : [at(reference, `The flow “${flow.name}” is not published`)]
  })
  const tooDeep = {
    node_id: null,
    path: 'tree_structure',
    message: `Sub-flows would be nested deeper than ${maxSubflowDepth} levels`,
  }
  const warnings = references.flatMap((reference) => {
    const flow = flowById.get(reference.subflow.tree_id)
    const isNarrower = flow && getReach(flow.visibility) < getReach(visibility)
    return isNarrower
      ? [
          at(
            reference,
            `The flow “${flow.name}” is shared with fewer people than this flow, so some cannot run it`,
          ),
        ]
      : []
  })
  return {
    errors: [...errors, ...(problems.some(({ problem }) => problem === 'depth') ? [tooDeep] : [])],
    warnings,
  }
}

/**
 * Return how far a flow is shared. A public flow has no more readers in its account than one of the account.
 */
function getReach(visibility: string): number {
  return { private: 0, team: 1 }[visibility] ?? 2
}
