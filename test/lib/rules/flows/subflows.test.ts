import { describe, expect, it } from 'vitest'
import type { FlowNode, FlowStep, StepList } from '#rules/flows/structure.ts'
import { getSubflowAnswer, listSubflows, normaliseSubflow } from '#rules/flows/subflow.ts'
import { replaceSubflowIds } from '#rules/flows/subflow-ids.ts'
import { Subflow, type SubflowOutcome } from '#rules/flows/subflow-schema.ts'
import { createSolution, createStep } from '#test/support/flow-nodes.ts'

const decision = (fields: Partial<FlowNode> = {}): FlowNode => ({
  id: 'd',
  type: 'decision',
  title: 'd',
  description: '',
  options: [{ id: 'yes', label: 'Yes' }, { label: 'No' }],
  subflow: { tree_id: 't', options: { resolved: 'yes', unresolved: 'gone', escalated: null } },
  ...fields,
})
const outcomes: SubflowOutcome[] = ['resolved', 'unresolved', 'escalated', 'cancelled']
const answerAll = (step: FlowNode | FlowStep) => outcomes.map((outcome) => getSubflowAnswer(step, outcome))

describe('the answer to a step after its sub-flow', () => {
  it('is the option of the outcome for a decision, if the decision has it', () => {
    expect(answerAll(decision())).toEqual([{ option_id: 'yes' }, null, null, null])
  })

  it('is missing for a decision whose options have other ids', () => {
    expect(answerAll(decision({ options: [{ id: 'no', label: 'No' }] }))).toEqual([null, null, null, null])
    expect(answerAll(decision({ options: null }))).toEqual([null, null, null, null])
  })

  it('is an outcome for any other step', () => {
    const expected = [{ outcome: 'done' }, { outcome: 'failed' }, null, null]
    expect(answerAll(createStep('a'))).toEqual(expected)
    expect(answerAll(createSolution('a'))).toEqual(expected)
    expect(answerAll(createStep('a', { evidence: [] }))).toEqual(expected)
  })

  it.each<[string, Partial<FlowStep>]>([
    ['requires evidence', { evidence: [{ key: 'k', type: 'text', label: 'K' }] }],
    ['requires an approval', { approval: { roles: ['engineer'] } }],
  ])('is left to the technician if the step %s', (_, fields) => {
    expect(answerAll(createStep('a', fields))).toEqual([null, null, null, null])
  })
})

it('listSubflows returns the steps with a sub-flow in reading order', () => {
  const child = createSolution('s', { subflow: { tree_id: 'u' } })
  const root = decision({ children: [child, createSolution('x', { subflow: null })] })
  expect(listSubflows(null)).toEqual([])
  expect(listSubflows(root)).toEqual([
    { node: root, path: 'tree_structure', subflow: root.subflow },
    { node: child, path: 'tree_structure.children[0]', subflow: { tree_id: 'u' } },
  ])
})

it.each<[Subflow, Subflow]>([
  [{ tree_id: 'AB' }, { tree_id: 'ab' }],
  [{ tree_id: 'a', inputs: {}, outputs: {}, options: {} }, { tree_id: 'a' }],
  [{ tree_id: 'a', inputs: null, outputs: null, options: null }, { tree_id: 'a' }],
  [
    { tree_id: 'a', inputs: { x: '' }, outputs: { y: 'z' }, options: { resolved: 'yes', unresolved: null } },
    { tree_id: 'a', inputs: { x: '' }, outputs: { y: 'z' }, options: { resolved: 'yes' } },
  ],
  [{ tree_id: 'a', options: { cancelled: null } }, { tree_id: 'a' }],
])('the normal form of the sub-flow %j is %j', (subflow, normal) => {
  expect(normaliseSubflow(subflow)).toEqual(normal)
})

it.each(['inputs', 'outputs'])('the schema of a sub-flow accepts 50 %s, and not 51', (property) => {
  const create = (count: number) => ({
    tree_id: '0198c0de-0000-7000-8000-000000000000',
    [property]: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'x'])),
  })
  expect([50, 51].map((count) => Subflow.safeParse(create(count)).success)).toEqual([true, false])
  expect(Subflow.safeParse(create(51)).error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [[property], 'must have at most 50 variables'],
  ])
})

it('replaceSubflowIds replaces the known ids in a tree and in a list, and leaves out the others', () => {
  const newIds = new Map([['t', 'new']])
  const root = decision({
    children: [createSolution('s', { subflow: { tree_id: 'u', inputs: { x: 'y' } } })],
  })
  expect(replaceSubflowIds(root, newIds)).toEqual({
    ...root,
    subflow: { ...root.subflow, tree_id: 'new' },
    children: [createSolution('s')],
  })
  const steps: StepList = { steps: [createStep('a', { subflow: { tree_id: 't' } }), createStep('b')] }
  expect(replaceSubflowIds(steps, newIds)).toEqual({
    steps: [createStep('a', { subflow: { tree_id: 'new' } }), createStep('b')],
  })
})
