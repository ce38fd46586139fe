import { type FallbackStep, type FlowNode, type FlowStep, isStepList, type TreeStructure } from './structure.ts'

export interface Visit<T> {
  node: T
  /** Where it stands, as `tree_structure.children[0]`. */
  path: string
  /** 1 at the root; of steps always 1. */
  depth: number
}

/** Every node of a tree with its way, parents before children, in the order they are written. */
export function* walkNodes(root: FlowNode, path = 'tree_structure', depth = 1): Generator<Visit<FlowNode>> {
  yield { node: root, path, depth }
  for (const [index, child] of (root.children ?? []).entries()) yield* walkNodes(child, `${path}.children[${index}]`, depth + 1)
}

/** Every step with the fallback steps it holds. */
export function* walkSteps(steps: readonly FlowStep[]): Generator<Visit<FlowStep> & { fallbacks: Visit<FallbackStep>[] }> {
  for (const [index, node] of steps.entries()) {
    const path = `tree_structure.steps[${index}]`
    const fallbacks = (node.fallback_steps ?? []).map((fallback, at) => ({
      node: fallback,
      path: `${path}.fallback_steps[${at}]`,
      depth: 1,
    }))
    yield { node, path, depth: 1, fallbacks }
  }
}

/** Everything with an id, a title and a description, of either kind of flow. */
export function* walkAll(structure: TreeStructure): Generator<Visit<FlowNode | FlowStep | FallbackStep>> {
  if (!isStepList(structure)) return yield* walkNodes(structure)
  for (const { fallbacks, ...visit } of walkSteps(structure.steps)) {
    yield visit
    yield* fallbacks
  }
}
