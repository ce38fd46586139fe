import { expect, it } from 'vitest'
import { diffStructures } from '#rules/flows/diff.ts'
import type { FlowNode, StepList } from '#rules/flows/structure.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'

const tree = printerFlow() as FlowNode
const list = patchProcedure() as StepList

it('diffStructures returns the smallest patch of a list', () => {
  const without = (id: string): StepList => ({ steps: list.steps.filter((step) => step.id !== id) })
  const renamed: StepList = {
    steps: list.steps.map((step) =>
      step.id === 'patch' ? { ...step, title: 'New', group_label: 'G' } : step,
    ),
  }
  expect(diffStructures(list, without('snapshot'))).toEqual([{ op: 'remove', path: '/steps/1' }])
  expect(diffStructures(without('snapshot'), list)).toEqual([
    { op: 'add', path: '/steps/1', value: list.steps[1] },
  ])
  expect(diffStructures(list, renamed)).toEqual([
    { op: 'replace', path: '/steps/2/title', value: 'New' },
    { op: 'add', path: '/steps/2/group_label', value: 'G' },
  ])
  expect(diffStructures(renamed, list).at(-1)).toEqual({ op: 'remove', path: '/steps/2/group_label' })
  expect(diffStructures(tree, list)).toEqual([{ op: 'replace', path: '', value: list }])
  expect(diffStructures(list, list)).toEqual([])
})
