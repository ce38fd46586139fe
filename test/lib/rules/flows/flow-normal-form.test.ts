import { expect, it } from 'vitest'
import { normaliseApproval } from '#rules/flows/approval-requirement.ts'
import { normaliseForm, normaliseStructure } from '#rules/flows/normalise.ts'
import type { FlowNode } from '#rules/flows/structure.ts'
import { createStep } from '#test/support/flow-nodes.ts'

it('the normal form has one-line titles, all ids of options, and no empty values', () => {
  const node: FlowNode = {
    id: 'a',
    type: 'decision',
    title: ' ',
    action: ' Old\ttitle\n',
    solution: 'Other',
    description: 'a\r\nb\rc',
    options: [
      { label: 'x\ny', next_node_id: null },
      { id: 'option-1', label: 'z', next_node_id: 'b' },
      { label: 'w' },
    ],
    attachments: [],
    children: [
      { id: 'b', type: 'solution', action: 'No', solution: 'Yes', children: [], options: [], timer: null },
    ],
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
    normaliseForm([
      {
        key: 'k',
        label: 'a\nb',
        type: 'text',
        required: false,
        options: [],
        secret: false,
        help_text: 'a\rb',
        min: null,
      },
    ]),
  ).toEqual([{ key: 'k', label: 'a b', type: 'text', required: false, help_text: 'a\nb' }])
  expect(
    normaliseApproval({
      roles: ['account_admin', 'engineer'],
      user_ids: ['u', 'u'],
      expires_after_minutes: 5,
    }),
  ).toEqual({
    approval: { roles: ['engineer', 'account_admin'], user_ids: ['u'], expires_after_minutes: 5 },
  })
  expect(normaliseApproval(null)).toEqual({})
})

it.each<[FlowNode['type'], Partial<FlowNode>, string]>([
  ['action', { title: ' T ', action: 'A', solution: 'S' }, 'T'],
  ['action', { title: null, action: 'A', solution: 'S' }, 'A'],
  ['action', { title: ' ', action: null, solution: 'S' }, 'S'],
  ['decision', { action: 'A', solution: 'S' }, 'A'],
  ['solution', { action: 'A', solution: 'S' }, 'S'],
  ['solution', { action: 'A', solution: ' ' }, 'A'],
  ['solution', {}, ''],
])('the title of a node of the type %s with %j is %j', (type, fields, title) => {
  expect(normaliseStructure({ id: 'a', type, ...fields })).toEqual({ id: 'a', type, title, description: '' })
})

it('the normal form keeps each value that is not empty', () => {
  const subflow = { tree_id: 'AB', inputs: {} }
  const evidence = [{ key: 'k', type: 'select' as const, label: 'a\nb', options: ['x\ty'] }]
  const shared = {
    estimated_minutes: 0,
    library_visibility: 'none',
    attachments: [{ title: 'T', url: 'https://x.example' }],
  } as const
  const normal = {
    subflow: { tree_id: 'ab' },
    evidence: [{ key: 'k', type: 'select', label: 'a b', options: ['x y'] }],
  }
  const attachments = [...shared.attachments]
  const step = createStep('s', {
    ...{ ...shared, attachments, subflow, evidence, group_label: 'a\nb' },
    fallback_steps: [{ id: 'f' }, { id: 'g', title: 'a\nb', description: 'a\r\nb' }],
  })
  expect(normaliseStructure({ steps: [step] })).toEqual({
    steps: [
      {
        ...{
          id: 's',
          type: 'procedure_step',
          title: 's',
          description: 'x',
          ...shared,
          ...normal,
          group_label: 'a b',
        },
        fallback_steps: [
          { id: 'f', title: '', description: '' },
          { id: 'g', title: 'a b', description: 'a\nb' },
        ],
      },
    ],
  })
  expect(
    normaliseStructure({ id: 'a', type: 'solution', title: 'T', ...shared, attachments, subflow, evidence }),
  ).toEqual({
    ...{ id: 'a', type: 'solution', title: 'T', description: '', ...shared, ...normal },
  })
})

it('the normal form of an intake field keeps its options, its secret and its empty hint', () => {
  const field = { key: 'k', label: 'K', type: 'text', required: true } as const
  expect(
    normaliseForm([
      { ...field, options: ['a'], secret: true, help_text: '', default: null },
      { ...field, default: 0 },
    ]),
  ).toEqual([
    { ...field, options: ['a'], secret: true, help_text: '' },
    { ...field, default: 0 },
  ])
})
