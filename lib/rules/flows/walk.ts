import {
  type FallbackStep,
  type FlowNode,
  type FlowStep,
  isStepList,
  type TreeStructure,
} from './structure.ts'

export interface Visit<T> {
  node: T
  /** The path of the node, such as `tree_structure.children[0]`. */
  path: string
  /** 1 for the root of a tree and for every step. */
  depth: number
}

/** Yield every node of a tree, parents before children. */
export function* walkNodes(root: FlowNode, path = 'tree_structure', depth = 1): Generator<Visit<FlowNode>> {
  yield { node: root, path, depth }
  for (const [index, child] of (root.children ?? []).entries())
    yield* walkNodes(child, `${path}.children[${index}]`, depth + 1)
}

/** Yield every step together with its fallback steps. */
export function* walkSteps(
  steps: readonly FlowStep[],
): Generator<Visit<FlowStep> & { fallbacks: Visit<FallbackStep>[] }> {
  for (const [index, node] of steps.entries()) {
    const path = `tree_structure.steps[${index}]`
    const fallbacks = (node.fallback_steps ?? []).map((fallback, fallbackIndex) => ({
      node: fallback,
      path: `${path}.fallback_steps[${fallbackIndex}]`,
      depth: 1,
    }))
    yield { node, path, depth: 1, fallbacks }
  }
}

/** Yield every node of a tree, or every step and fallback step of a list. */
export function* walkAll(structure: TreeStructure): Generator<Visit<FlowNode | FlowStep | FallbackStep>> {
  if (!isStepList(structure)) return yield* walkNodes(structure)
  for (const { fallbacks, ...visit } of walkSteps(structure.steps)) {
    yield visit
    yield* fallbacks
  }
}
