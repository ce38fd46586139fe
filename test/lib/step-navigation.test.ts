import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { insertCustomSteps } from '../../lib/flows/custom-steps.ts'
import {
  computeProgress,
  countRemainingAnswers,
  findAnswerableStep,
  getFirstStepId,
  getNextStepId,
} from '../../lib/flows/step-navigation.ts'
import type { FlowNode } from '../../lib/flows/structure.ts'
import { validateFlow } from '../../lib/flows/validate.ts'
import { walkNodes } from '../../lib/flows/walk.ts'

/** Return a tree that may be published. The id of a node contains its path. Two options of each decision lead to the same child. */
function createTree(shape: number[], id = 'n', depth = 0): FlowNode {
  const kinds = ['solution', 'action', 'decision'] as const
  const kind = depth > 4 ? 'solution' : (kinds[(shape[depth % shape.length] ?? 0) % kinds.length] ?? 'solution')
  const node = { id, type: kind, title: id, description: '' }
  const createChild = (n: number) =>
    createTree(
      shape.map((number) => number + n),
      `${id}${n}`,
      depth + 1,
    )
  if (kind === 'solution') return node
  if (kind === 'action') return { ...node, next_node_id: `${id}0`, children: [createChild(0)] }
  const options = [0, 1, 0].map((n, index) => ({ id: `o${index}`, label: `To ${n}`, next_node_id: `${id}${n}` }))
  return { ...node, options, children: [createChild(0), createChild(1)] }
}
const treeShape = fc.array(fc.nat(5), { minLength: 1, maxLength: 5 })

/** Run the tree with the options that `choices` selects. Return the steps on the path. */
function runTree(tree: FlowNode, choices: readonly number[]) {
  const path: { id: string; option: string | null; progress: number }[] = []
  for (let id = getFirstStepId(tree); id !== null; ) {
    const node = findAnswerableStep(tree, id) as FlowNode
    const option = node.options?.[(choices[path.length] ?? 0) % 3]?.id ?? null
    path.push({ id, option, progress: computeProgress(path.length, countRemainingAnswers(tree, id)).percent })
    id = getNextStepId(tree, id, option)
  }
  return path
}

describe('step navigation', () => {
  it('a run ends on every path, and its progress never decreases and is 100 % only at the end', () => {
    fc.assert(
      fc.property(treeShape, treeShape, (shape, choices) => {
        const tree = createTree(shape)
        const path = runTree(tree, choices)
        const percents = path.map(({ progress }) => progress)
        expect(percents.every((percent) => percent < 100)).toBe(true)
        expect(percents).toEqual(percents.toSorted((a, b) => a - b))
        expect(computeProgress(path.length, 0).percent).toBe(100)
        expect(path.length).toBeLessThanOrEqual(countRemainingAnswers(tree, tree.id))
      }),
    )
  })
})

describe('insertCustomSteps', () => {
  it('SES-15 returns a publishable tree with every node and every custom step once', () => {
    fc.assert(
      fc.property(treeShape, treeShape, fc.array(fc.nat(), { maxLength: 8 }), (shape, choices, places) => {
        const tree = createTree(shape)
        const path = runTree(tree, choices)
        const nodeIds = [...walkNodes(tree)].map(({ node }) => node.id)
        const customSteps = places.map((place, n) => ({
          after_step_id: nodeIds[place % nodeIds.length] ?? '',
          title: `Custom ${n}`,
          description: '',
        }))
        const optionByNode = new Map(path.map(({ id, option }) => [id, option]))
        const extended = insertCustomSteps(tree, customSteps, optionByNode) as FlowNode
        expect(validateFlow({ tree_type: 'troubleshooting', tree_structure: extended, intake_form: [] }, 'published').errors).toEqual([])
        const titles = [...walkNodes(extended)].map(({ node }) => node.title)
        expect(titles.toSorted()).toEqual([...nodeIds, ...customSteps.map(({ title }) => title)].toSorted())
        // The same choices lead to the same nodes, with the custom steps between them.
        const extendedPath: string[] = []
        for (let id = getFirstStepId(extended); id !== null; id = getNextStepId(extended, id, optionByNode.get(id))) extendedPath.push(id)
        expect(extendedPath.filter((id) => nodeIds.includes(id))).toEqual(path.map(({ id }) => id))
        const customStepsOnPath = customSteps.filter(({ after_step_id }) => optionByNode.has(after_step_id))
        expect(extendedPath.filter((id) => !nodeIds.includes(id))).toHaveLength(customStepsOnPath.length)
      }),
    )
  })

  it('creates custom steps with unused ids', () => {
    const tree: FlowNode = { id: 'custom-1', type: 'solution', title: 'x', description: '' }
    const extended = insertCustomSteps(tree, [{ after_step_id: 'custom-1', title: 'y', description: '' }], new Map()) as FlowNode
    expect([extended.id, extended.title, extended.next_node_id]).toEqual(['custom-2', 'y', 'custom-1'])
  })
})
