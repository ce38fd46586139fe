import { expect, it } from 'vitest'
import { renderProcedureEnd, renderStep } from '#rules/flows/step-view.ts'
import type { FlowNode } from '#rules/flows/structure.ts'
import { createEnd, createStep } from '#test/support/flow-nodes.ts'
import { printerFlow } from '#test/support/flows.ts'

const tree = printerFlow() as FlowNode
const end = createEnd()

it('renderStep returns the headers before a step, its section and its details', () => {
  const steps = [
    createStep('h', { type: 'section_header', title: 'In {{x}}' }),
    createStep('a'),
    createStep('b', { estimated_minutes: 0 }),
    end,
  ]
  const a = renderStep({ steps }, 'a', { x: 'Berlin' })
  expect(a).toMatchObject({
    section_headers: [{ title: 'In Berlin' }],
    section_title: 'In Berlin',
    options: [],
    estimated_minutes: null,
  })
  expect(a).toMatchObject({
    group_label: null,
    script_template_id: null,
    subflow: null,
    attachments: [],
    evidence: [],
    approval: null,
    timer: null,
  })
  expect(renderStep({ steps }, 'b', {})).toMatchObject({
    section_headers: [],
    section_title: 'In {{x}}',
    estimated_minutes: 0,
  })
  expect(renderStep({ steps }, 'h', {})).toBe(null)
  expect(renderStep(tree, 'ping', {})).toMatchObject({
    options: [{ id: 'yes', label: 'Yes' }, { id: 'no' }],
    section_title: null,
  })
  expect(renderProcedureEnd(tree, {})).toBe(null)
  expect(renderProcedureEnd({ steps: [createStep('a')] }, {})).toBe(null)
  expect(renderProcedureEnd({ steps }, {})).toEqual({
    id: 'end',
    title: 'Done',
    description: '',
    section_headers: [],
  })
})

it('renderStep returns every detail of a step, with its placeholders filled', () => {
  const details = {
    script_template_id: 's',
    subflow: { tree_id: 't' },
    attachments: [{ title: 'T', url: 'https://x.example' }],
    evidence: [{ key: 'k', type: 'text', label: 'K' } as const],
    approval: { user_ids: ['u'] },
    timer: { minutes: 5 },
  }
  const fallback_steps = [{ id: 'f', title: 'Ask {{x}}', description: null }, { id: 'g' }]
  const step = createStep('a', {
    title: null,
    description: 'Call {{x}}',
    group_label: 'G',
    estimated_minutes: 3,
    fallback_steps,
    ...details,
  })
  expect(renderStep({ steps: [step] }, 'a', { x: 'Dana' })).toEqual({
    id: 'a',
    type: 'procedure_step',
    title: '',
    description: 'Call Dana',
    options: [],
    fallback_steps: [
      { id: 'f', title: 'Ask Dana', description: '' },
      { id: 'g', title: '', description: '' },
    ],
    section_headers: [],
    section_title: null,
    group_label: 'G',
    estimated_minutes: 3,
    ...details,
  })
  expect(
    renderStep({ steps: [createStep('a', { fallback_steps: null, group_label: '' })] }, 'a', {}),
  ).toMatchObject({
    fallback_steps: [],
    group_label: null,
  })
  expect(renderStep({ ...tree, options: null }, 'ping', {})).toMatchObject({
    options: [],
    fallback_steps: [],
    section_headers: [],
  })
  expect(renderStep({ ...tree, options: [{ label: 'x' }] }, 'ping', {})).toMatchObject({
    options: [{ id: '', label: 'x' }],
  })
})

it('renderProcedureEnd returns the headers before the end', () => {
  const steps = [
    createStep('a'),
    createStep('h', { type: 'section_header', title: 'In {{x}}', description: null }),
    end,
  ]
  expect(renderProcedureEnd({ steps }, { x: 'Berlin' })).toEqual({
    id: 'end',
    title: 'Done',
    description: '',
    section_headers: [{ id: 'h', title: 'In Berlin', description: '' }],
  })
})
