import { fieldErrors } from './intake-rules.ts'
import { unfilled } from './placeholders.ts'
import { at, type FlowProblem } from './problems.ts'
import { stepErrors, stepWarnings } from './step-rules.ts'
import { caps, type FallbackStep, type Flow, type FlowNode, type FlowStep, isStepList } from './structure.ts'
import { nodeErrors, nodeWarnings } from './tree-rules.ts'
import { walkAll, walkNodes } from './walk.ts'

export interface Findings {
  errors: FlowProblem[]
  warnings: FlowProblem[]
}

/**
 * Everything that is wrong with a flow in normal form, all at once and in reading order. A draft only needs ids that are
 * unique and has to keep to the caps; publishing needs all else.
 */
export function validateFlow(flow: Flow, as: 'draft' | 'published'): Findings {
  const errors = structureLimits(flow)
  if (as === 'draft') return { errors, warnings: [] }
  const { tree_structure: structure } = flow
  if (!structure) errors.push({ node_id: null, path: 'tree_structure', message: 'The flow has no steps yet' })
  else if (isStepList(structure)) errors.push(...stepErrors(structure))
  else for (const visit of walkNodes(structure)) errors.push(...nodeErrors(visit))
  errors.push(...flow.intake_form.flatMap(fieldErrors))
  return { errors, warnings: warningsOf(flow) }
}

function structureLimits({ tree_structure: structure }: Flow): FlowProblem[] {
  if (!structure) return []
  const problems: FlowProblem[] = []
  const seen = new Set<string>()
  let count = 0
  for (const { node, path, depth } of walkAll(structure)) {
    count++
    if (seen.has(node.id)) problems.push(at(node, path, 'id', `The id ${node.id} is used twice`))
    seen.add(node.id)
    // Told once per branch, where it goes too deep.
    if (depth === caps.depth + 1) problems.push(at(node, path, '', `The flow is deeper than ${caps.depth} levels here`))
    problems.push(...repeatedOptions(node, path))
  }
  const [most, path, what] = isStepList(structure)
    ? ([caps.steps, 'tree_structure.steps', 'steps'] as const)
    : ([caps.nodes, 'tree_structure', 'nodes'] as const)
  const total = isStepList(structure) ? structure.steps.length : count
  if (total > most) problems.push({ node_id: null, path, message: `The flow has ${total} ${what}; at most ${most} are possible` })
  return problems
}

function repeatedOptions(node: FlowNode | FlowStep | FallbackStep, path: string): FlowProblem[] {
  const options = 'options' in node ? (node.options ?? []) : []
  const ids = options.map(({ id }) => id)
  return ids.flatMap((id, index) =>
    ids.indexOf(id) < index ? [at(node, path, `options[${index}].id`, `The option id ${id} is used twice in this decision`)] : [],
  )
}

function warningsOf(flow: Flow): FlowProblem[] {
  const warnings: FlowProblem[] = unfilled(flow).map(({ node_id, path, key }) => ({
    node_id,
    path,
    message: `{{${key}}} is filled by no field of the intake form and stays as it is`,
  }))
  const structure = flow.tree_structure
  if (structure && isStepList(structure)) warnings.push(...stepWarnings(structure.steps))
  else if (structure) for (const { node, path } of walkNodes(structure)) warnings.push(...nodeWarnings(node, path))
  return warnings
}
