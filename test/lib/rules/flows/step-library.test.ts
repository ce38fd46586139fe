import { expect, it } from 'vitest'
import { replaceScriptIds } from '#rules/flows/script-ids.ts'
import { extractLibraryEntries } from '#rules/flows/step-library.ts'
import type { FlowNode, StepList } from '#rules/flows/structure.ts'
import { createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'
import { printerFlow } from '#test/support/flows.ts'

it('the step library gets the actions and solutions of a tree', () => {
  expect(extractLibraryEntries(printerFlow() as FlowNode)).toEqual([
    {
      node_id: 'queue',
      step_type: 'action',
      title: 'Clear the print queue',
      description: 'Stop the spooler, empty the folder, start it again.',
      visibility: 'team',
    },
    {
      node_id: 'works',
      step_type: 'solution',
      title: 'The queue was stuck',
      description: '',
      visibility: 'team',
    },
    {
      node_id: 'cable',
      step_type: 'solution',
      title: 'Reseat the network cable',
      description: '',
      visibility: 'team',
    },
  ])
})

it('the step library gets the steps of a procedure that are shared with a team or the account', () => {
  const steps = [
    createStep('h', { type: 'section_header' }),
    createStep('a', { library_visibility: 'account' }),
    createStep('b', { library_visibility: 'none' }),
    createStep('c', { library_visibility: null, title: null, description: null }),
    createEnd(),
  ]
  expect(extractLibraryEntries({ steps })).toEqual([
    { node_id: 'a', step_type: 'procedure_step', title: 'a', description: 'x', visibility: 'account' },
    { node_id: 'c', step_type: 'procedure_step', title: '', description: '', visibility: 'team' },
  ])
})

it('replaceScriptIds replaces the known ids in a tree and in a list, and leaves out the others', () => {
  const newIds = new Map([['old', 'new']])
  const root = {
    ...createSolution('r', { script_template_id: 'old' }),
    children: [createSolution('s', { script_template_id: 'gone' })],
  }
  expect(replaceScriptIds(root, newIds)).toEqual({
    ...createSolution('r', { script_template_id: 'new' }),
    children: [createSolution('s')],
  })
  const list: StepList = {
    steps: [createStep('a', { script_template_id: 'old' }), createStep('b', { script_template_id: null })],
  }
  expect(replaceScriptIds(list, newIds)).toEqual({
    steps: [createStep('a', { script_template_id: 'new' }), createStep('b')],
  })
})
