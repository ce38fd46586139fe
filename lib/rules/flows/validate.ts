import { spend } from '#rules/budget.ts'
import { validateIntakeFieldWithDefault } from './intake-rules.ts'
import { findUnfilledPlaceholders } from './placeholders.ts'
import { type FlowProblem, problemAt } from './problems.ts'
import { findStepWarnings, validateSteps } from './step-rules.ts'
import {
  type FallbackStep,
  type Flow,
  type FlowNode,
  type FlowStep,
  flowLimits,
  isStepList,
} from './structure.ts'
import { validateSubflows } from './subflow-rules.ts'
import { findNodeWarnings, validateNode } from './tree-rules.ts'
import { walkAll, walkNodes } from './walk.ts'

export interface ValidationResult {
  errors: FlowProblem[]
  warnings: FlowProblem[]
}

/**
 * Return all problems of a flow in normal form, in reading order.
 * A draft only needs unique ids and must respect the limits. A published flow must meet every rule.
 */
export function validateFlow(flow: Flow, status: 'draft' | 'published'): ValidationResult {
  const errors = validateIdsAndLimits(flow)
  if (status === 'draft') return { errors, warnings: [] }
  const { tree_structure: structure } = flow
  if (!structure) errors.push({ node_id: null, path: 'tree_structure', message: 'The flow has no steps yet' })
  else if (isStepList(structure)) for (const problem of validateSteps(structure)) errors.push(problem)
  else
    for (const visit of walkNodes(structure)) for (const problem of validateNode(visit)) errors.push(problem)
  for (const problem of validateSubflows(flow)) errors.push(problem)
  for (const problem of flow.intake_form.flatMap((field, index) =>
    validateIntakeFieldWithDefault(field, index),
  ))
    errors.push(problem)
  return { errors, warnings: findWarnings(flow) }
}

/** Finding the problems and warnings of a node takes a few microseconds. */
const stepsPerNode = 1000

function validateIdsAndLimits({ tree_structure: structure }: Flow): FlowProblem[] {
  if (!structure) return []
  const problems: FlowProblem[] = []
  const usedIds = new Set<string>()
  let nodeCount = 0
  for (const { node, path, depth } of walkAll(structure)) {
    nodeCount++
    spend(stepsPerNode)
    if (usedIds.has(node.id)) problems.push(problemAt(node, path, 'id', `The id ${node.id} is used twice`))
    usedIds.add(node.id)
    // Reported once per branch, at the first node that is too deep.
    if (depth === flowLimits.maxDepth + 1)
      problems.push(problemAt(node, path, '', `The flow is deeper than ${flowLimits.maxDepth} levels here`))
    for (const problem of findRepeatedOptionIds(node, path)) problems.push(problem)
  }
  if (isStepList(structure))
    for (const problem of validateCount(
      structure.steps.length,
      flowLimits.maxSteps,
      'steps',
      'tree_structure.steps',
    ))
      problems.push(problem)
  else
    for (const problem of validateCount(nodeCount, flowLimits.maxNodes, 'nodes', 'tree_structure'))
      problems.push(problem)
  return problems
}

function validateCount(count: number, max: number, unit: string, path: string): FlowProblem[] {
  return count > max
    ? [{ node_id: null, path, message: `The flow has ${count} ${unit}; at most ${max} are allowed` }]
    : []
}

function findRepeatedOptionIds(node: FlowNode | FlowStep | FallbackStep, path: string): FlowProblem[] {
  const options = 'options' in node ? (node.options ?? []) : []
  const ids = options.map(({ id }) => id)
  return ids.flatMap((id, index) =>
    ids.indexOf(id) < index
      ? [problemAt(node, path, `options[${index}].id`, `The option id ${id} is used twice in this decision`)]
      : [],
  )
}

function findWarnings(flow: Flow): FlowProblem[] {
  const warnings: FlowProblem[] = findUnfilledPlaceholders(flow).map(({ node_id, path, key }) => ({
    node_id,
    path,
    message: `No field of the intake form fills {{${key}}}, so the text shows it unchanged`,
  }))
  const structure = flow.tree_structure
  if (structure && isStepList(structure))
    for (const warning of findStepWarnings(structure.steps)) warnings.push(warning)
  else if (structure)
    for (const { node, path } of walkNodes(structure))
      for (const warning of findNodeWarnings(node, path)) warnings.push(warning)
  return warnings
}
