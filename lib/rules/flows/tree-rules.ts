import { findRepeats } from '#rules/text/duplicates.ts'
import { validateApproval } from './approval-rules.ts'
import { validateEvidence } from './evidence-rules.ts'
import { type FlowProblem, problemAt, validateTitle } from './problems.ts'
import type { FlowNode } from './structure.ts'
import type { Visit } from './walk.ts'

/** Return the problems of a node that prevent publishing its flow. */
export function validateNode({ node, path }: Visit<FlowNode>): FlowProblem[] {
  const validators = { decision: validateDecision, action: validateAction, solution: validateSolution }
  return [
    ...validateTitle(node, path, node.type),
    ...validators[node.type](node, path),
    ...validateEvidence(node, path, true),
    ...validateApproval(node, path, true),
  ]
}

function validateDecision(node: FlowNode, path: string): FlowProblem[] {
  const options = node.options ?? []
  const children = node.children ?? []
  const problems: FlowProblem[] = []
  if (options.length < 2)
    problems.push(
      problemAt(node, path, 'options', `A decision needs at least 2 options; this one has ${options.length}`),
    )
  if (children.length < 2)
    problems.push(
      problemAt(
        node,
        path,
        'children',
        `A decision needs at least 2 nodes below it; this one has ${children.length}`,
      ),
    )
  for (const [index, { label, next_node_id }] of options.entries()) {
    const optionPath = `options[${index}]`
    if (!label.trim())
      problems.push(problemAt(node, path, `${optionPath}.label`, `Option ${index + 1} has no label`))
    const optionName = label.trim() ? `The option “${label.trim()}”` : `Option ${index + 1}`
    if (!next_node_id)
      problems.push(problemAt(node, path, `${optionPath}.next_node_id`, `${optionName} leads nowhere`))
    else if (!children.some(({ id }) => id === next_node_id)) {
      const message = `${optionName} leads to ${next_node_id}, which is not directly below this decision`
      problems.push(problemAt(node, path, `${optionPath}.next_node_id`, message))
    }
  }
  const linkedIds = new Set(options.map(({ next_node_id }) => next_node_id))
  for (const problem of findUnreachableChildren(children, path, linkedIds, 'No option leads to this node'))
    problems.push(problem)
  if (node.next_node_id)
    problems.push(
      problemAt(
        node,
        path,
        'next_node_id',
        'A decision continues through its options; remove its next_node_id',
      ),
    )
  return problems
}

function validateAction(node: FlowNode, path: string): FlowProblem[] {
  const children = node.children ?? []
  const problems: FlowProblem[] = []
  if (!node.next_node_id)
    problems.push(
      problemAt(node, path, 'next_node_id', 'An action must lead to the next node; this one leads nowhere'),
    )
  else if (!children.some(({ id }) => id === node.next_node_id))
    problems.push(
      problemAt(
        node,
        path,
        'next_node_id',
        `The action leads to ${node.next_node_id}, which is not directly below it`,
      ),
    )
  if (children.length > 1)
    problems.push(
      problemAt(
        node,
        path,
        'children',
        `An action can have one node below it; this one has ${children.length}`,
      ),
    )
  for (const problem of findUnreachableChildren(
    children,
    path,
    new Set([node.next_node_id]),
    'The action above does not lead to this node',
  ))
    problems.push(problem)
  if (node.options?.length)
    problems.push(problemAt(node, path, 'options', 'Only a decision can have options'))
  return problems
}

function validateSolution(node: FlowNode, path: string): FlowProblem[] {
  const problems: FlowProblem[] = []
  if (node.children?.length)
    problems.push(
      problemAt(node, path, 'children', 'A solution ends its branch; it cannot have nodes below it'),
    )
  if (node.next_node_id)
    problems.push(
      problemAt(node, path, 'next_node_id', 'A solution ends its branch; remove its next_node_id'),
    )
  if (node.options?.length)
    problems.push(problemAt(node, path, 'options', 'Only a decision can have options'))
  return problems
}

function findUnreachableChildren(
  children: readonly FlowNode[],
  parentPath: string,
  linkedIds: ReadonlySet<unknown>,
  reason: string,
): FlowProblem[] {
  return children.flatMap((child, index) =>
    linkedIds.has(child.id)
      ? []
      : [problemAt(child, `${parentPath}.children[${index}]`, '', `${reason}, so it can never be reached`)],
  )
}

/** Return warnings about a node that may be published but is probably not what the author meant. */
export function findNodeWarnings(node: FlowNode, path: string): FlowProblem[] {
  const targets = (node.options ?? []).map(({ next_node_id }) => next_node_id)
  const repeatedTargets = targets.flatMap((target, index) => {
    const message = `Two options lead to ${target}; choosing between them makes no difference`
    return target && targets.indexOf(target) < index
      ? [problemAt(node, path, `options[${index}].next_node_id`, message)]
      : []
  })
  return [...findRepeatedLabels(node, path), ...repeatedTargets]
}

/** Return warnings about options that a technician cannot tell apart. */
function findRepeatedLabels(node: FlowNode, path: string): FlowProblem[] {
  const labels = (node.options ?? []).map(({ label }) => label)
  return findRepeats(labels).map(({ index }) => {
    const message = `Two options are called “${labels[index]}”; nobody can tell them apart`
    return problemAt(node, path, `options[${index}].label`, message)
  })
}
