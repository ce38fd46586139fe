import { getStepsLeft, runWithinPart } from '#rules/budget.ts'
import {
  type Flow,
  type FlowNode,
  type FlowStep,
  isStepList,
  type TreeStructure,
} from '#rules/flows/structure.ts'
import { walkNodes, walkSteps } from '#rules/flows/walk.ts'
import { findDestructiveSteps } from './destructive-steps.ts'
import { createStepFinding, type Finding, getName } from './finding.ts'
import { removeAt } from './flow-patch.ts'
import { findPointlessQuestions, findRepeatedQuestions } from './questions.ts'
import { findUnanswerableFields } from './unanswerable-fields.ts'

/**
 * Return what a flow in normal form proves by itself, whatever its sessions do. None is ever wrong: what cannot
 * be proven within the budget is left out. A loop is none of them, because each answer leads down in the tree
 * or on in the list, so every walk ends.
 */
export function findFlaws(flow: Omit<Flow, 'tree_type'>): Finding[] {
  return runWithinPart(getStepsLeft() / 2, () => proveFlaws(flow)).result
}

function proveFlaws({ tree_structure: structure, intake_form }: Omit<Flow, 'tree_type'>): Finding[] {
  const byStructure = structure
    ? [...findUnreachableSteps(structure), ...findDestructiveSteps(structure), ...findInTree(structure)]
    : []
  return [...findUnanswerableFields(intake_form), ...byStructure]
}

function findInTree(structure: TreeStructure): Finding[] {
  if (isStepList(structure)) return []
  return [...findRepeatedQuestions(structure), ...findPointlessQuestions(structure)]
}

/** Return the steps that no answer leads to. A published flow has none; a draft may. */
function findUnreachableSteps(structure: TreeStructure): Finding[] {
  const unreachable = isStepList(structure)
    ? listStepsAfterEnd(structure.steps)
    : listUnlinkedNodes(structure)
  return unreachable.map(({ node, path }) =>
    createStepFinding(
      'unreachable_step',
      node,
      `No answer leads to “${getName(node)}”, so it can never be reached`,
      { path, patch: removeAt(path) },
    ),
  )
}

function listStepsAfterEnd(steps: readonly FlowStep[]): { node: FlowStep; path: string }[] {
  const end = steps.findIndex(({ type }) => type === 'procedure_end')
  return end < 0 ? [] : Array.from(walkSteps(steps)).slice(end + 1)
}

function listUnlinkedNodes(root: FlowNode): { node: FlowNode; path: string }[] {
  return Array.from(walkNodes(root)).flatMap(({ node, path }) => {
    const linkedIds = new Set(
      node.type === 'decision'
        ? (node.options ?? []).map(({ next_node_id }) => next_node_id)
        : [node.next_node_id],
    )
    return (node.children ?? []).flatMap((child, index) =>
      linkedIds.has(child.id) ? [] : [{ node: child, path: `${path}.children[${index}]` }],
    )
  })
}
