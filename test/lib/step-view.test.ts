import { expect, it } from 'vitest'
import { renderProcedureEnd, renderStep } from '../../lib/flows/step-view.ts'
import type { FlowNode } from '../../lib/flows/structure.ts'
import { createEnd, createStep } from '../support/flow-nodes.ts'
import { printerFlow } from '../support/flows.ts'

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
  expect(a).toMatchObject({ section_headers: [{ title: 'In Berlin' }], section_title: 'In Berlin', options: [], estimated_minutes: null })
  expect(a).toMatchObject({
    group_label: null,
    script_template_id: null,
    subflow: null,
    attachments: [],
    evidence: [],
    approval: null,
    timer: null,
  })
  expect(renderStep({ steps }, 'b', {})).toMatchObject({ section_headers: [], section_title: 'In {{x}}', estimated_minutes: 0 })
  expect(renderStep({ steps }, 'h', {})).toBe(null)
  expect(renderStep(tree, 'ping', {})).toMatchObject({ options: [{ id: 'yes', label: 'Yes' }, { id: 'no' }], section_title: null })
  expect(renderProcedureEnd(tree, {})).toBe(null)
  expect(renderProcedureEnd({ steps: [createStep('a')] }, {})).toBe(null)
  expect(renderProcedureEnd({ steps }, {})).toEqual({ id: 'end', title: 'Done', description: '', section_headers: [] })
})
