import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withCustomSteps } from '../../lib/flows/custom-steps.ts'
import { findStep, firstStep, progressOf, remainingFrom, stepAfter } from '../../lib/flows/run.ts'
import type { FlowNode } from '../../lib/flows/structure.ts'
import { validateFlow } from '../../lib/flows/validate.ts'
import { walkNodes } from '../../lib/flows/walk.ts'

/** Trees that may be published, with ids by their place; some options lead to the same child. */
function treeOf(shape: number[], id = 'n', depth = 0): FlowNode {
  const kind = depth > 4 ? 0 : (shape[depth % shape.length] ?? 0) % 3
  const words = { id, title: id, description: '' }
  if (kind === 0) return { ...words, type: 'solution' }
  const child = (n: number) =>
    treeOf(
      shape.map((s) => s + n),
      `${id}${n}`,
      depth + 1,
    )
  if (kind === 1) return { ...words, type: 'action', next_node_id: `${id}0`, children: [child(0)] }
  const options = [0, 1, 0].map((n, at) => ({ id: `o${at}`, label: `To ${n}`, next_node_id: `${id}${n}` }))
  return { ...words, type: 'decision', options, children: [child(0), child(1)] }
}
const shapes = fc.array(fc.nat(5), { minLength: 1, maxLength: 5 })

/** Goes through a tree by the options of these numbers; answers the ids on the way. */
function walkThrough(tree: FlowNode, choices: readonly number[]) {
  const way: { id: string; option: string | null; progress: number }[] = []
  for (let id = firstStep(tree); id !== null; ) {
    const node = findStep(tree, id) as FlowNode
    const option = node.options?.[(choices[way.length] ?? 0) % 3]?.id ?? null
    way.push({ id, option, progress: progressOf(way.length, remainingFrom(tree, id)).percent })
    id = stepAfter(tree, id, option)
  }
  return way
}

describe('running a tree', () => {
  it('comes to an end by every way, its progress growing and 100 % only there', () => {
    fc.assert(
      fc.property(shapes, shapes, (shape, choices) => {
        const tree = treeOf(shape)
        const way = walkThrough(tree, choices)
        const percents = way.map(({ progress }) => progress)
        expect(percents.every((percent) => percent < 100)).toBe(true)
        expect(percents).toEqual(percents.toSorted((a, b) => a - b))
        expect(progressOf(way.length, 0).percent).toBe(100)
        expect(way.length).toBeLessThanOrEqual(remainingFrom(tree, tree.id))
      }),
    )
  })
})

describe('custom steps in a tree', () => {
  it('SES-15 leave a flow that may be published, holding each of them once and all that was there', () => {
    fc.assert(
      fc.property(shapes, shapes, fc.array(fc.nat(), { maxLength: 8 }), (shape, choices, places) => {
        const tree = treeOf(shape)
        const way = walkThrough(tree, choices)
        const ids = [...walkNodes(tree)].map(({ node }) => node.id)
        const custom = places.map((place, n) => ({ after_step_id: ids[place % ids.length] ?? '', title: `Custom ${n}`, description: '' }))
        const made = withCustomSteps(tree, custom, new Map(way.map(({ id, option }) => [id, option]))) as FlowNode
        expect(validateFlow({ tree_type: 'troubleshooting', tree_structure: made, intake_form: [] }, 'published').errors).toEqual([])
        const titles = [...walkNodes(made)].map(({ node }) => node.title)
        expect(titles.toSorted()).toEqual([...ids, ...custom.map(({ title }) => title)].toSorted())
        // The same choices lead the same way, with the custom steps beside.
        const options = new Map(way.map(({ id, option }) => [id, option]))
        const again: string[] = []
        for (let id = firstStep(made); id !== null; id = stepAfter(made, id, options.get(id))) again.push(id)
        expect(again.filter((id) => ids.includes(id))).toEqual(way.map(({ id }) => id))
        const onTheWay = custom.filter(({ after_step_id }) => options.has(after_step_id))
        expect(again.filter((id) => !ids.includes(id))).toHaveLength(onTheWay.length)
      }),
    )
  })

  it('take ids that nothing else has', () => {
    const tree: FlowNode = { id: 'custom-1', type: 'solution', title: 'x', description: '' }
    const made = withCustomSteps(tree, [{ after_step_id: 'custom-1', title: 'y', description: '' }], new Map()) as FlowNode
    expect([made.id, made.title, made.next_node_id]).toEqual(['custom-2', 'y', 'custom-1'])
  })
})
