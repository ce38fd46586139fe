import { expect, it } from 'vitest'
import { draftOf, writtenOf } from '../../lib/ai/flow-drafts.ts'
import type { WrittenFlow } from '../../lib/ai/prompts/authoring.ts'
import { redact } from '../../lib/ai/redaction.ts'
import { type FlowDraft, growStructure, listNodes } from '../../lib/flows/draft.ts'
import { patchStructure, type WrittenOperation } from '../../lib/flows/patch.ts'
import type { FlowNode } from '../../lib/flows/structure.ts'
import { patchForm, patchSteps, printerFlow, printerForm } from '../support/flows.ts'

const tree: FlowDraft = {
  name: 'Printer offline',
  description: 'Ask 10.0.0.8 first.',
  tree_type: 'troubleshooting',
  tree_structure: printerFlow() as FlowNode,
  intake_form: printerForm as FlowDraft['intake_form'],
}
const steps = { ...tree, tree_type: 'procedural', tree_structure: patchSteps(), intake_form: patchForm } as unknown as FlowDraft
const drafted = (written: unknown, base: FlowDraft, redaction: 'none' | 'all' = 'none') => {
  const made = draftOf(written as WrittenFlow, { tree_type: base.tree_type, base, redaction, as: 'published' })
  if ('problems' in made) throw new Error(made.problems.join('; '))
  return made.fit
}

it('gives back the flow that it shows, of either kind, with all that is not shown of it', () => {
  for (const flow of [tree, steps]) expect(drafted(writtenOf(flow), flow)).toEqual(flow)
})

it('keeps what a mask hides, wherever the text comes back as it was shown', () => {
  const secret = structuredClone(tree)
  Object.assign(secret.tree_structure, { title: 'Ping 10.0.8.21', description: 'Or mail ops@contoso.example' })
  const shown = redact(writtenOf(secret), 'all')
  expect(JSON.stringify(shown)).not.toMatch(/10\.0\.|ops@/)
  expect(drafted(shown, secret, 'all')).toEqual(secret)
  const changed = { ...shown, nodes: shown.nodes.with(0, { ...shown.nodes[0], title: 'Ping it' } as never) }
  expect(drafted(changed, secret, 'all').tree_structure).toMatchObject({ title: 'Ping it', description: 'Or mail ops@contoso.example' })
})

it('keeps an option’s id by what it says, else by where it leads, and never twice', () => {
  const nodes = listNodes(tree.tree_structure)
  const options = [
    { label: 'No', leads_to: 'queue' },
    { label: 'Sometimes', leads_to: 'queue' },
    { label: 'Rarely', leads_to: 'queue' },
    { label: 'Never', leads_to: 'cable' },
  ]
  const grown = growStructure('troubleshooting', nodes.with(0, { ...(nodes[0] as (typeof nodes)[0]), options }), tree.tree_structure)
  expect('structure' in grown && (grown.structure as FlowNode).options?.map(({ id }) => id)).toEqual(['no', 'yes', undefined, undefined])
})

const one = (op: WrittenOperation['op'], path: string, value: unknown = null, from: string | null = null): WrittenOperation => ({
  ...{ op, path, from },
  value: value === null ? null : JSON.stringify(value),
})
const patched = (...operations: WrittenOperation[]) => patchStructure(steps.tree_type, steps.tree_structure, operations)
const idsOf = (made: ReturnType<typeof patchStructure>) =>
  'result' in made ? (made.result as { steps: { id: string }[] }).steps.map(({ id }) => id) : made.problems

it('moves as the standard has it: first away, then there', () => {
  expect(idsOf(patched(one('move', '/steps/2', null, '/steps/1')))).toEqual(['before', 'patch', 'snapshot', 'end'])
  expect(idsOf(patched(one('move', '/steps/3', null, '/steps/0')))).toEqual(['snapshot', 'patch', 'end', 'before'])
  expect(idsOf(patched(one('move', '/steps/4', null, '/steps/0')))).toEqual(['patch[0]: There is no place /steps/4'])
  expect(idsOf(patched(one('move', '/steps/0/title', null, '/steps/0')))).toEqual(['patch[0]: It moves nothing to another place'])
})

it.each([
  one('replace', '/steps/9/title', 'x'),
  one('remove', '/steps/1/url'),
  one('remove', '/steps/-'),
  one('add', '/steps/title', {}),
  one('add', '/steps/1/0', 'x'),
  one('add', '/steps/1/title/0', 'x'),
  one('replace', '/steps/1/constructor', 'x'),
  one('replace', '/steps/~01', 'x'),
  one('replace', 'steps/1/title', 'x'),
  one('remove', ''),
  { ...one('replace', '/steps/1/title'), value: '{' },
  { ...one('replace', '/steps/1/title'), value: '"\\u0000"' },
  { ...one('add', '/steps/1/children'), value: '['.repeat(100) },
])('says what is wrong with $op $path, and leaves the flow as it is', (operation) => {
  const before = structuredClone(steps.tree_structure)
  expect(patched(operation)).toEqual({ problems: [expect.stringMatching(/^patch\[0\]: /)] })
  expect(steps.tree_structure).toEqual(before)
})
