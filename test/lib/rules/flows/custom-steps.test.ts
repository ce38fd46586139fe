import { expect, it } from 'vitest'
import { insertCustomSteps } from '#rules/flows/custom-steps.ts'
import type { FlowNode, StepList, TreeStructure } from '#rules/flows/structure.ts'
import { createStep } from '#test/support/flow-nodes.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'

const tree = printerFlow() as FlowNode
const list = patchProcedure() as StepList

it('insertCustomSteps inserts after the step or its fallback step, and never after the end', () => {
  const insertAfter = (after_step_id: string, structure: TreeStructure = list) =>
    insertCustomSteps(
      structure,
      [{ after_step_id, title: 'New', description: '' }],
      new Map([['ping', 'no']]),
    )
  const listIds = (structure: TreeStructure) => (structure as StepList).steps.map(({ id }) => id)
  expect(listIds(insertAfter('snapshot'))).toEqual(['before', 'snapshot', 'custom-1', 'patch', 'end'])
  expect(listIds(insertAfter('backup'))).toEqual(['before', 'snapshot', 'custom-1', 'patch', 'end'])
  for (const id of ['end', 'patch', 'gone'])
    expect(listIds(insertAfter(id))).toEqual(['before', 'snapshot', 'patch', 'custom-1', 'end'])
  expect(listIds(insertAfter('a', { steps: [createStep('a'), createStep('custom-1')] }))).toEqual([
    'a',
    'custom-2',
    'custom-1',
  ])
  expect(insertAfter('ping', tree)).toMatchObject({
    id: 'ping',
    options: [{ next_node_id: 'queue' }, { next_node_id: 'custom-1' }],
    children: [
      { id: 'queue' },
      { id: 'custom-1', type: 'action', next_node_id: 'cable', children: [{ id: 'cable' }] },
    ],
  })
  expect(insertAfter('works', tree)).toMatchObject({
    children: [{ next_node_id: 'custom-1', children: [{ id: 'custom-1', next_node_id: 'works' }] }, {}],
  })
})
