import { expect, it } from 'vitest'
import { toFlowDraft, toModelFlow } from '../../lib/ai/flow-drafts.ts'
import type { GeneratedFlow } from '../../lib/ai/prompts/authoring.ts'
import { redact } from '../../lib/ai/redaction.ts'
import { buildStructure, type FlowDraft, flattenStructure } from '../../lib/flows/flat-nodes.ts'
import { patchStructure, type RawPatchOperation } from '../../lib/flows/patch.ts'
import type { FlowNode } from '../../lib/flows/structure.ts'
import { patchForm, patchProcedure, printerFlow, printerForm } from '../support/flows.ts'

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
  const result = toFlowDraft(modelAnswer as GeneratedFlow, { tree_type: base.tree_type, base, redaction, targetStatus: 'published' })
  if ('problems' in result) throw new Error(result.problems.join('; '))
  return result.value
}

it('restores a flow of either type from its flat nodes, including the properties that only the base flow has', () => {
  for (const flow of [troubleshootingDraft, proceduralDraft]) expect(createDraft(toModelFlow(flow), flow)).toEqual(flow)
})

it('restores a masked text that the model did not change', () => {
  const flowWithSecrets = structuredClone(troubleshootingDraft)
  Object.assign(flowWithSecrets.tree_structure, { title: 'Ping 10.0.8.21', description: 'Or mail ops@contoso.example' })
  const redacted = redact(toModelFlow(flowWithSecrets), 'all')
  expect(JSON.stringify(redacted)).not.toMatch(/10\.0\.|ops@/)
  expect(createDraft(redacted, flowWithSecrets, 'all')).toEqual(flowWithSecrets)
  const changed = { ...redacted, nodes: redacted.nodes.with(0, { ...redacted.nodes[0], title: 'Ping it' } as never) }
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
  expect('structure' in result && (result.structure as FlowNode).options?.map(({ id }) => id)).toEqual(['no', 'yes', undefined, undefined])
})

const createOperation = (
  op: RawPatchOperation['op'],
  path: string,
  value: unknown = null,
  from: string | null = null,
): RawPatchOperation => ({
  op,
  path,
  from,
  value: value === null ? null : JSON.stringify(value),
})
const patchSteps = (...operations: RawPatchOperation[]) =>
  patchStructure(proceduralDraft.tree_type, proceduralDraft.tree_structure, operations)
const getStepIdsOrProblems = (patched: ReturnType<typeof patchStructure>) =>
  'result' in patched ? (patched.result as { steps: { id: string }[] }).steps.map(({ id }) => id) : patched.problems

it.each([
  ['/steps/2', '/steps/1', ['before', 'patch', 'snapshot', 'end']],
  ['/steps/3', '/steps/0', ['snapshot', 'patch', 'end', 'before']],
  ['/steps/4', '/steps/0', ['patch[0]: The path /steps/4 does not exist']],
  ['/steps/0/title', '/steps/0', ['patch[0]: A value cannot be moved into itself']],
])('a move to %s removes the value from %s before it adds it, as RFC 6902 requires', (path, from, expected) => {
  expect(getStepIdsOrProblems(patchSteps(createOperation('move', path, null, from)))).toEqual(expected)
})

it.each([
  createOperation('replace', '/steps/9/title', 'x'),
  createOperation('remove', '/steps/1/url'),
  createOperation('remove', '/steps/-'),
  createOperation('add', '/steps/title', {}),
  createOperation('add', '/steps/1/0', 'x'),
  createOperation('add', '/steps/1/title/0', 'x'),
  createOperation('replace', '/steps/1/constructor', 'x'),
  createOperation('replace', '/steps/~01', 'x'),
  createOperation('replace', 'steps/1/title', 'x'),
  createOperation('remove', ''),
  { ...createOperation('replace', '/steps/1/title'), value: '{' },
  { ...createOperation('replace', '/steps/1/title'), value: '"\\u0000"' },
  { ...createOperation('add', '/steps/1/children'), value: '['.repeat(100) },
])('refuses $op $path and does not change the flow', (operation) => {
  const before = structuredClone(proceduralDraft.tree_structure)
  expect(patchSteps(operation)).toEqual({ problems: [expect.stringMatching(/^patch\[0\]: /)] })
  expect(proceduralDraft.tree_structure).toEqual(before)
})
