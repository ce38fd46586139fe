import { at, type FlowProblem, titleErrors } from './problems.ts'
import type { FlowNode } from './structure.ts'
import type { Visit } from './walk.ts'

export function nodeErrors({ node, path }: Visit<FlowNode>): FlowProblem[] {
  const rules = { decision: decisionErrors, action: actionErrors, solution: solutionErrors }
  return [...titleErrors(node, path, node.type), ...rules[node.type](node, path)]
}

function decisionErrors(node: FlowNode, path: string): FlowProblem[] {
  const { options = [], children = [] } = node as { options?: FlowNode['options'] & object; children?: FlowNode[] }
  const problems: FlowProblem[] = []
  if (options.length < 2) problems.push(at(node, path, 'options', `A decision needs at least 2 options; this one has ${options.length}`))
  if (children.length < 2) problems.push(at(node, path, 'children', `A decision leads to at least 2 nodes; this one to ${children.length}`))
  for (const [index, { label, next_node_id }] of options.entries()) {
    const where = `options[${index}]`
    if (!label.trim()) problems.push(at(node, path, `${where}.label`, `Option ${index + 1} has no label`))
    const name = label.trim() ? `The option “${label.trim()}”` : `Option ${index + 1}`
    if (!next_node_id) problems.push(at(node, path, `${where}.next_node_id`, `${name} leads nowhere`))
    else if (!children.some(({ id }) => id === next_node_id))
      problems.push(at(node, path, `${where}.next_node_id`, `${name} leads to ${next_node_id}, which is not directly below this decision`))
  }
  const reached = new Set(options.map(({ next_node_id }) => next_node_id))
  problems.push(...unreachable(children, path, reached, 'No option leads here'))
  if (node.next_node_id)
    problems.push(at(node, path, 'next_node_id', 'A decision goes on by its options; it has no next_node_id of its own'))
  return problems
}

function actionErrors(node: FlowNode, path: string): FlowProblem[] {
  const children = node.children ?? []
  const problems: FlowProblem[] = []
  if (!node.next_node_id) problems.push(at(node, path, 'next_node_id', 'An action leads on to the next node; this one leads nowhere'))
  else if (!children.some(({ id }) => id === node.next_node_id))
    problems.push(at(node, path, 'next_node_id', `It leads to ${node.next_node_id}, which is not directly below this action`))
  if (children.length > 1)
    problems.push(at(node, path, 'children', `An action leads to one node; this one has ${children.length} below it`))
  problems.push(...unreachable(children, path, new Set([node.next_node_id]), 'The action above does not lead here'))
  if (node.options?.length) problems.push(at(node, path, 'options', 'Only a decision has options'))
  return problems
}

function solutionErrors(node: FlowNode, path: string): FlowProblem[] {
  const problems: FlowProblem[] = []
  if (node.children?.length) problems.push(at(node, path, 'children', 'A solution ends its branch; nothing may come below it'))
  if (node.next_node_id) problems.push(at(node, path, 'next_node_id', 'A solution ends its branch; it leads nowhere'))
  if (node.options?.length) problems.push(at(node, path, 'options', 'Only a decision has options'))
  return problems
}

function unreachable(children: readonly FlowNode[], path: string, reached: ReadonlySet<unknown>, message: string): FlowProblem[] {
  return children.flatMap((child, index) =>
    reached.has(child.id) ? [] : [at(child, `${path}.children[${index}]`, '', `${message}: it can never be reached`)],
  )
}

export function nodeWarnings(node: FlowNode, path: string): FlowProblem[] {
  const targets = (node.options ?? []).map(({ next_node_id }) => next_node_id)
  return targets.flatMap((target, index) =>
    target && targets.indexOf(target) < index
      ? [at(node, path, `options[${index}].next_node_id`, `Two options lead to ${target}: the choice makes no difference`)]
      : [],
  )
}
