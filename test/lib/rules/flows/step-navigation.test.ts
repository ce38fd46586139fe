import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { insertCustomSteps } from '#rules/flows/custom-steps.ts'
import {
  computeProgress,
  containsStep,
  countRemainingAnswers,
  findAnswerableStep,
  findAnswerMismatch,
  getFirstStepId,
  getNextStepId,
  getPosition,
  indexAnswerableSteps,
  type StepAnswer,
} from '#rules/flows/step-navigation.ts'
import type { FlowNode, FlowStep, StepList, TreeStructure } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { walkNodes } from '#rules/flows/walk.ts'
import { createEnd, createStep } from '#test/support/flow-nodes.ts'
import { printerFlow } from '#test/support/flows.ts'

/**
 * Return a tree that may be published. The id of a node contains its path. Two options of each decision lead
 * to the same child.
 */
function createTree(shape: number[], id = 'n', depth = 0): FlowNode {
  const kinds = ['solution', 'action', 'decision'] as const
  const kind =
    depth > 4 ? 'solution' : (kinds[(shape[depth % shape.length] ?? 0) % kinds.length] ?? 'solution')
  const node = { id, type: kind, title: id, description: '' }
  const createChild = (n: number) =>
    createTree(
      shape.map((number) => number + n),
      `${id}${n}`,
      depth + 1,
    )
  if (kind === 'solution') return node
  if (kind === 'action') return { ...node, next_node_id: `${id}0`, children: [createChild(0)] }
  const options = [0, 1, 0].map((n, index) => ({
    id: `o${index}`,
    label: `To ${n}`,
    next_node_id: `${id}${n}`,
  }))
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
  it('SES-63 a run ends on every path, and its progress never decreases and is 100 % only at the end', () => {
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
        expect(
          validateFlow(
            { tree_type: 'troubleshooting', tree_structure: extended, intake_form: [] },
            'published',
          ).errors,
        ).toEqual([])
        const titles = [...walkNodes(extended)].map(({ node }) => node.title)
        expect(titles.toSorted()).toEqual([...nodeIds, ...customSteps.map(({ title }) => title)].toSorted())
        // The same choices lead to the same nodes, with the custom steps between them.
        const extendedPath: string[] = []
        for (
          let id = getFirstStepId(extended);
          id !== null;
          id = getNextStepId(extended, id, optionByNode.get(id))
        )
          extendedPath.push(id)
        expect(extendedPath.filter((id) => nodeIds.includes(id))).toEqual(path.map(({ id }) => id))
        const customStepsOnPath = customSteps.filter(({ after_step_id }) => optionByNode.has(after_step_id))
        expect(extendedPath.filter((id) => !nodeIds.includes(id))).toHaveLength(customStepsOnPath.length)
      }),
    )
  })

  it('creates custom steps with unused ids', () => {
    const tree: FlowNode = { id: 'custom-1', type: 'solution', title: 'x', description: '' }
    const extended = insertCustomSteps(
      tree,
      [{ after_step_id: 'custom-1', title: 'y', description: '' }],
      new Map(),
    ) as FlowNode
    expect([extended.id, extended.title, extended.next_node_id]).toEqual(['custom-2', 'y', 'custom-1'])
  })
})

describe('a position in a flow', () => {
  const list: StepList = {
    steps: [
      createStep('h', { type: 'section_header' }),
      createStep('a', { timer: { minutes: 5 }, fallback_steps: [{ id: 'f' }] }),
      createStep('b'),
      createEnd(),
    ],
  }
  const tree = printerFlow() as FlowNode

  it('starts at the first step that takes an answer', () => {
    expect([list, tree, { steps: [createEnd()] }].map(getFirstStepId)).toEqual(['a', 'ping', null])
  })

  it.each<[TreeStructure, string, string | null, string | null]>([
    [list, 'a', null, 'b'],
    [list, 'b', null, null],
    [tree, 'ping', 'yes', 'queue'],
    [tree, 'ping', 'no', 'cable'],
    [tree, 'ping', 'gone', null],
    [tree, 'ping', null, null],
    [tree, 'queue', null, 'works'],
    [tree, 'cable', null, null],
    [tree, 'gone', null, null],
    [{ ...tree, options: [{ id: 'far', label: 'x', next_node_id: 'works' }] }, 'ping', 'far', null],
  ])('continues in %j after %s with option %s at %s', (structure, id, option, next) => {
    expect(getNextStepId(structure, id, option)).toBe(next)
  })

  it.each<[TreeStructure, string | null, number]>([
    [list, 'a', 2],
    [list, 'b', 1],
    [list, null, 0],
    [tree, 'ping', 3],
    [tree, 'queue', 2],
    [tree, 'cable', 1],
    [tree, 'gone', 0],
    [tree, null, 0],
  ])('has answers left in %j from %s on: %i', (structure, id, remaining) => {
    expect(countRemainingAnswers(structure, id)).toBe(remaining)
  })

  it('has the timer of its step', () => {
    expect(getPosition(list, 'a')).toEqual({ current_step_id: 'a', remaining: 2, timer: { minutes: 5 } })
    expect(getPosition(list, 'b')).toEqual({ current_step_id: 'b', remaining: 1, timer: null })
    expect(getPosition(list, null)).toEqual({ current_step_id: null, remaining: 0, timer: null })
  })

  it.each([
    [0, 0, { answered: 0, total: 0, percent: 100 }],
    [0, 3, { answered: 0, total: 3, percent: 0 }],
    [2, 1, { answered: 2, total: 3, percent: 66 }],
    [999, 1, { answered: 999, total: 1000, percent: 99 }],
    [3, 0, { answered: 3, total: 3, percent: 100 }],
  ])('is shown as progress after %i answers with %i left', (answered, remaining, progress) => {
    expect(computeProgress(answered, remaining)).toEqual(progress)
  })

  it('finds only steps that take an answer, and contains all others too', () => {
    const ids = ['h', 'a', 'f', 'b', 'end', 'gone']
    expect(ids.map((id) => findAnswerableStep(list, id)?.id)).toEqual([
      undefined,
      'a',
      undefined,
      'b',
      undefined,
      undefined,
    ])
    expect(ids.map((id) => containsStep(list, id))).toEqual([true, true, true, true, true, false])
    expect(
      ['ping', 'works', 'gone'].map((id) => [findAnswerableStep(tree, id)?.id, containsStep(tree, id)]),
    ).toEqual([
      ['ping', true],
      ['works', true],
      [undefined, false],
    ])
    expect([...indexAnswerableSteps(list).keys()]).toEqual(['a', 'b'])
    expect([...indexAnswerableSteps(tree).keys()].toSorted()).toEqual(['cable', 'ping', 'queue', 'works'])
  })
})

describe('an answer to a step', () => {
  const [decision, action] = [printerFlow() as FlowNode, createStep('a')]

  it.each<[string, FlowNode | FlowStep, StepAnswer, ReturnType<typeof findAnswerMismatch>]>([
    ['an option of a decision', decision, { option_id: 'yes' }, null],
    [
      'another option',
      decision,
      { option_id: 'x' },
      { field: 'option_id', msg: 'must be an option of this decision' },
    ],
    [
      'nothing for a decision',
      decision,
      {},
      { field: 'option_id', msg: 'must be an option of this decision' },
    ],
    [
      'an outcome for a decision',
      decision,
      { option_id: 'yes', outcome: 'done' },
      { field: 'outcome', msg: 'must be left out: a decision is answered with an option' },
    ],
    ['an outcome of a step', action, { outcome: 'skipped' }, null],
    ['nothing for a step', action, {}, { field: 'outcome', msg: 'is required for a procedure_step' }],
    [
      'an option for a step',
      action,
      { option_id: 'yes', outcome: 'done' },
      { field: 'option_id', msg: 'must be left out: a procedure_step has no options' },
    ],
  ])('is checked: %s', (_, step, answer, mismatch) => {
    expect(findAnswerMismatch(step, answer)).toEqual(mismatch)
  })
})
