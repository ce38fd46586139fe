import { expect, it } from 'vitest'
import { buildStructure, type FlowDraft, flattenStructure } from '#rules/flows/flat-nodes.ts'
import type { FlowNode } from '#rules/flows/structure.ts'
import { redact } from '#rules/masking/redaction.ts'
import { patchForm, patchProcedure, printerFlow, printerForm } from '#test/support/flows.ts'
import { toFlowDraft, toModelFlow } from '#vendors/ai/flow-drafts.ts'
import type { GeneratedFlow } from '#vendors/ai/prompts/authoring.ts'

const troubleshootingDraft: FlowDraft = {
  name: 'Printer offline',
  description: 'Ask 10.0.0.8 first.',
  tree_type: 'troubleshooting',
  tree_structure: printerFlow() as FlowNode,
  intake_form: printerForm as FlowDraft['intake_form'],
}
const proceduralDraft = {
  ...troubleshootingDraft,
  tree_type: 'procedural',
  tree_structure: patchProcedure(),
  intake_form: patchForm,
} as unknown as FlowDraft
/** Return the draft that results from a model's answer. */
function createDraft(modelAnswer: unknown, base: FlowDraft, redaction: 'none' | 'all' = 'none'): FlowDraft {
  const result = toFlowDraft(modelAnswer as GeneratedFlow, {
    tree_type: base.tree_type,
    base,
    redaction,
    targetStatus: 'published',
  })
  if ('problems' in result) throw new Error(result.problems.join('; '))
  return result.value
}

it('restores a flow of either type from its flat nodes, including the properties that only the base flow has', () => {
  for (const flow of [troubleshootingDraft, proceduralDraft])
    expect(createDraft(toModelFlow(flow), flow)).toEqual(flow)
})

it('restores a masked text that the model did not change', () => {
  const flowWithSecrets = structuredClone(troubleshootingDraft)
  Object.assign(flowWithSecrets.tree_structure, {
    title: 'Ping 10.0.8.21',
    description: 'Or mail ops@contoso.example',
  })
  const redacted = redact(toModelFlow(flowWithSecrets), 'all')
  expect(JSON.stringify(redacted)).not.toMatch(/10\.0\.|ops@/)
  expect(createDraft(redacted, flowWithSecrets, 'all')).toEqual(flowWithSecrets)
  const changed = {
    ...redacted,
    nodes: redacted.nodes.with(0, { ...redacted.nodes[0], title: 'Ping it' } as never),
  }
  expect(createDraft(changed, flowWithSecrets, 'all').tree_structure).toMatchObject({
    title: 'Ping it',
    description: 'Or mail ops@contoso.example',
  })
})

it('an option keeps its id if its label is unchanged, or otherwise if its target is, and no id is used twice', () => {
  const nodes = flattenStructure(troubleshootingDraft.tree_structure)
  const options = [
    { label: 'No', leads_to: 'queue' },
    { label: 'Sometimes', leads_to: 'queue' },
    { label: 'Rarely', leads_to: 'queue' },
    { label: 'Never', leads_to: 'cable' },
  ]
  const result = buildStructure(
    'troubleshooting',
    nodes.with(0, { ...(nodes[0] as (typeof nodes)[0]), options }),
    troubleshootingDraft.tree_structure,
  )
  expect('structure' in result && (result.structure as FlowNode).options?.map(({ id }) => id)).toEqual([
    'no',
    'yes',
    undefined,
    undefined,
  ])
})

it('the model gets null for the options of a field without any', () => {
  const form: FlowDraft['intake_form'] = [
    { key: 'a', label: 'A', type: 'text', required: false, default: 'x' },
    { key: 'b', label: 'B', type: 'select', required: true, options: ['x'] },
  ]
  expect(toModelFlow({ ...troubleshootingDraft, intake_form: form }).intake).toEqual([
    { key: 'a', label: 'A', type: 'text', required: false, options: null },
    { key: 'b', label: 'B', type: 'select', required: true, options: ['x'] },
  ])
})
