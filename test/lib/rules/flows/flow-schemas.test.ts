import { expect, it } from 'vitest'
import type * as z from 'zod'
import { ApprovalRequirement } from '#rules/flows/approval-requirement.ts'
import { EvidenceRequirement, EvidenceRequirements } from '#rules/flows/evidence.ts'
import { FlowEnvelope } from '#rules/flows/rfflow.ts'
import {
  Attachment,
  FallbackStep,
  FlowNode,
  FlowOption,
  FlowStep,
  IntakeField,
  IntakeForm,
  matchesTreeType,
  StepList,
  treeTypes,
} from '#rules/flows/structure.ts'
import { EscalationStep } from '#rules/oncall/escalation-step.ts'
import { Rotation, Rotations } from '#rules/oncall/schema.ts'

type Bounds = [min: number, max: number]
const text = (length: number) => 'x'.repeat(length)
const repeat = (count: number, create: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => create(n))
const createId = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
const node = { id: 'a', type: 'solution' }
const step = { id: 'a', type: 'procedure_step' }
const field = { key: 'k', label: 'K', type: 'text' }
const evidence = { key: 'k', type: 'select', label: 'K' }
const link = { title: 'T', url: 'https://x.example' }
const flow = { tree_type: 'procedural', name: 'N', tree_structure: null }
const rotation = { kind: 'daily', members: [createId(1)], handoff_time: '09:00', starts_on: '2026-01-01' }
const createEnvelope = (fields: object) => ({ rfflow_version: '1.0', flow: { ...flow, ...fields } })

const rows: [name: string, schema: z.ZodType, create: (size: number) => unknown, bounds: Bounds][] = [
  ['the id of a node', FlowNode, (size) => ({ ...node, id: text(size) }), [1, 100]],
  ['the title of a node', FlowNode, (size) => ({ ...node, title: text(size) }), [0, 300]],
  ['the old title of an action', FlowNode, (size) => ({ ...node, action: text(size) }), [0, 300]],
  ['the old title of a solution', FlowNode, (size) => ({ ...node, solution: text(size) }), [0, 300]],
  ['the description of a node', FlowNode, (size) => ({ ...node, description: text(size) }), [0, 20_000]],
  ['the minutes of a node', FlowNode, (size) => ({ ...node, estimated_minutes: size }), [0, 10_080]],
  [
    'the options of a node',
    FlowNode,
    (size) => ({ ...node, options: repeat(size, () => ({ label: '' })) }),
    [0, 100],
  ],
  ['the nodes below a node', FlowNode, (size) => ({ ...node, children: repeat(size, () => node) }), [0, 500]],
  ['the links of a node', FlowNode, (size) => ({ ...node, attachments: repeat(size, () => link) }), [0, 20]],
  ['the label of an option', FlowOption, (size) => ({ label: text(size) }), [0, 300]],
  ['the title of a link', Attachment, (size) => ({ ...link, title: text(size) }), [1, 200]],
  ['the address of a link', Attachment, (size) => ({ ...link, url: `https://${text(size - 8)}` }), [9, 2000]],
  ['the title of a fallback step', FallbackStep, (size) => ({ id: 'a', title: text(size) }), [0, 300]],
  [
    'the fallback steps',
    FlowStep,
    (size) => ({ ...step, fallback_steps: repeat(size, () => ({ id: 'a' })) }),
    [0, 50],
  ],
  ['the links of a step', FlowStep, (size) => ({ ...step, attachments: repeat(size, () => link) }), [0, 20]],
  ['the group of a step', FlowStep, (size) => ({ ...step, group_label: text(size) }), [0, 200]],
  ['the steps', StepList, (size) => ({ steps: repeat(size, () => step) }), [0, 2000]],
  ['the label of a field', IntakeField, (size) => ({ ...field, label: text(size) }), [1, 200]],
  [
    'the options of a field',
    IntakeField,
    (size) => ({ ...field, options: repeat(size, () => 'x') }),
    [0, 100],
  ],
  ['an option of a field', IntakeField, (size) => ({ ...field, options: [text(size)] }), [1, 200]],
  ['the default of a field', IntakeField, (size) => ({ ...field, default: text(size) }), [0, 20_000]],
  [
    'the defaults of a field',
    IntakeField,
    (size) => ({ ...field, default: repeat(size, () => 'x') }),
    [0, 100],
  ],
  ['one of the defaults of a field', IntakeField, (size) => ({ ...field, default: [text(size)] }), [0, 200]],
  ['the hint of a field', IntakeField, (size) => ({ ...field, help_text: text(size) }), [0, 1000]],
  ['the pattern of a field', IntakeField, (size) => ({ ...field, pattern: text(size) }), [0, 200]],
  ['the fields of a form', IntakeForm, (size) => repeat(size, (n) => ({ ...field, key: `k${n}` })), [0, 100]],
  ['the label of evidence', EvidenceRequirement, (size) => ({ ...evidence, label: text(size) }), [1, 200]],
  [
    'the options of evidence',
    EvidenceRequirement,
    (size) => ({ ...evidence, options: repeat(size, () => 'x') }),
    [0, 100],
  ],
  [
    'an option of evidence',
    EvidenceRequirement,
    (size) => ({ ...evidence, options: [text(size)] }),
    [1, 200],
  ],
  ['the evidence of a step', EvidenceRequirements, (size) => repeat(size, () => evidence), [0, 10]],
  [
    'the roles of an approval',
    ApprovalRequirement,
    (size) => ({ roles: repeat(size, () => 'engineer') }),
    [0, 3],
  ],
  [
    'the users of an approval',
    ApprovalRequirement,
    (size) => ({ user_ids: repeat(size, createId) }),
    [0, 20],
  ],
  [
    'the expiry of an approval',
    ApprovalRequirement,
    (size) => ({ expires_after_minutes: size }),
    [1, 10_080],
  ],
  [
    'the version of a file',
    FlowEnvelope,
    (size) => ({ ...createEnvelope({}), rfflow_version: text(size) }),
    [0, 20],
  ],
  [
    'the program of a file',
    FlowEnvelope,
    (size) => ({ ...createEnvelope({}), generator: text(size) }),
    [0, 200],
  ],
  ['the name of a flow in a file', FlowEnvelope, (size) => createEnvelope({ name: text(size) }), [1, 200]],
  [
    'the category of a flow in a file',
    FlowEnvelope,
    (size) => createEnvelope({ category: text(size) }),
    [1, 200],
  ],
  [
    'the description of a flow in a file',
    FlowEnvelope,
    (size) => createEnvelope({ description: text(size) }),
    [0, 20_000],
  ],
  [
    'the tags of a flow in a file',
    FlowEnvelope,
    (size) => createEnvelope({ tags: repeat(size, () => 'x') }),
    [0, 30],
  ],
  ['a tag of a flow in a file', FlowEnvelope, (size) => createEnvelope({ tags: [text(size)] }), [1, 100]],
  [
    'the members of a rotation',
    Rotation,
    (size) => ({ ...rotation, members: repeat(size, createId) }),
    [1, 50],
  ],
  [
    'the rotations',
    Rotations,
    (size) => repeat(size, (n) => ({ ...rotation, starts_on: `20${n + 10}-01-01` })),
    [0, 10],
  ],
  ['the year of a rotation', Rotation, (size) => ({ ...rotation, starts_on: `${size}-01-01` }), [2000, 2099]],
  [
    'the targets of an escalation step',
    EscalationStep,
    (size) => ({ delay_minutes: 1, targets: repeat(size, (n) => ({ type: 'user', id: createId(n) })) }),
    [1, 10],
  ],
  [
    'the delay of an escalation step',
    EscalationStep,
    (size) => ({ delay_minutes: size, targets: [{ type: 'user', id: createId(1) }] }),
    [0, 1440],
  ],
]

it.each(rows)('the size of %s is checked', (_, schema, create, [min, max]) => {
  const isValid = (size: number) => schema.safeParse(create(size)).success
  expect({ [min]: isValid(min), [max]: isValid(max), [max + 1]: isValid(max + 1) }).toEqual({
    [min]: true,
    [max]: true,
    [max + 1]: false,
  })
  if (min > 0) expect([min - 1, isValid(min - 1)]).toEqual([min - 1, false])
})

it('an escalation step refuses a target that it has already', () => {
  const targets = [createId(1), createId(1)].map((id) => ({ type: 'user', id }))
  expect(EscalationStep.safeParse({ delay_minutes: 1, targets }).error?.issues).toMatchObject([
    { path: ['targets', 1], message: 'must not repeat item 1 of the list, also in another spelling' },
  ])
})

it('a form refuses a key that is used twice, with its position', () => {
  expect(IntakeForm.safeParse([field, { ...field, key: 'l' }, field]).error?.issues).toMatchObject([
    { path: [2, 'key'], message: 'must be unique; k is used twice' },
  ])
})

it.each<[Partial<IntakeField>, boolean]>([
  [{ secret: true }, true],
  [{ secret: true, type: 'textarea', default: null }, true],
  [{ secret: true, type: 'number' }, false],
  [{ secret: true, default: '' }, false],
  [{ secret: false, type: 'number', default: 1 }, true],
])('the schema of an intake field returns whether %j is valid', (fields, isValid) => {
  expect(IntakeField.safeParse({ ...field, ...fields }).success).toBe(isValid)
})

it('an intake field is optional unless it says otherwise, and unknown properties of a file are refused', () => {
  expect(IntakeField.parse(field)).toEqual({ ...field, required: false })
  expect(FlowEnvelope.safeParse({ ...createEnvelope({}), other: 1 }).success).toBe(false)
  expect(FlowEnvelope.safeParse(createEnvelope({ other: 1 })).success).toBe(false)
})

it.each([
  ['2026-11-21T09:30:00.000Z', true],
  ['2026-11-21T09:30:00+01:00', true],
  ['2026-11-21T09:30:00', false],
  ['2026-11-21', false],
])('a file may say that it was exported at %s: %s', (exported_at, isValid) => {
  expect(FlowEnvelope.safeParse({ ...createEnvelope({}), exported_at }).success).toBe(isValid)
})

it.each([
  [0, false],
  [1, true],
  [1.5, false],
])('the version of a flow in a file may be %d: %s', (version, isValid) => {
  expect(FlowEnvelope.safeParse(createEnvelope({ version })).success).toBe(isValid)
})

it('a tree belongs to a troubleshooting flow, and a list of steps to the others', () => {
  const matches = treeTypes.map((type) => [
    matchesTreeType(type, { id: 'a', type: 'solution' }),
    matchesTreeType(type, { steps: [] }),
  ])
  expect(matches).toEqual([
    [true, false],
    [false, true],
    [false, true],
  ])
})
