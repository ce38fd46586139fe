import { expect, it } from 'vitest'
import { normaliseApproval } from '../../lib/flows/approval-requirement.ts'
import { normaliseForm, normaliseStructure } from '../../lib/flows/normalise.ts'
import type { FlowNode } from '../../lib/flows/structure.ts'
import { createStep } from '../support/flow-nodes.ts'

it('the normal form has one-line titles, all ids of options, and no empty values', () => {
  const node: FlowNode = {
    id: 'a',
    type: 'decision',
    title: ' ',
    action: ' Old\ttitle\n',
    solution: 'Other',
    description: 'a\r\nb\rc',
    options: [{ label: 'x\ny', next_node_id: null }, { id: 'option-1', label: 'z', next_node_id: 'b' }, { label: 'w' }],
    attachments: [],
    children: [{ id: 'b', type: 'solution', action: 'No', solution: 'Yes', children: [], options: [], timer: null }],
  }
  expect(normaliseStructure(node)).toEqual({
    id: 'a',
    type: 'decision',
    title: 'Old title',
    description: 'a\nb\nc',
    options: [
      { id: 'option-2', label: 'x y' },
      { id: 'option-1', label: 'z', next_node_id: 'b' },
      { id: 'option-3', label: 'w' },
    ],
    children: [{ id: 'b', type: 'solution', title: 'Yes', description: '' }],
  })
  const step = createStep('s', {
    title: null,
    group_label: ' ',
    fallback_steps: [],
    evidence: [],
    approval: { roles: [] },
    attachments: [],
  })
  expect(normaliseStructure({ steps: [step] })).toEqual({
    steps: [{ id: 's', type: 'procedure_step', title: '', description: 'x', approval: {} }],
  })
  expect(
    normaliseForm([{ key: 'k', label: 'a\nb', type: 'text', required: false, options: [], secret: false, help_text: 'a\rb', min: null }]),
  ).toEqual([{ key: 'k', label: 'a b', type: 'text', required: false, help_text: 'a\nb' }])
  expect(normaliseApproval({ roles: ['account_admin', 'engineer'], user_ids: ['u', 'u'], expires_after_minutes: 5 })).toEqual({
    approval: { roles: ['engineer', 'account_admin'], user_ids: ['u'], expires_after_minutes: 5 },
  })
  expect(normaliseApproval(null)).toEqual({})
})
