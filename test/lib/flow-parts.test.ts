import { describe, expect, it } from 'vitest'
import { normaliseApproval } from '../../lib/flows/approval-requirement.ts'
import { insertCustomSteps } from '../../lib/flows/custom-steps.ts'
import { diffStructures } from '../../lib/flows/diff.ts'
import { type EvidenceRequirement, findEvidenceMismatches, toProvidedEvidence } from '../../lib/flows/evidence.ts'
import { normaliseForm, normaliseStructure } from '../../lib/flows/normalise.ts'
import { buildPreview } from '../../lib/flows/preview.ts'
import { describeSecrets, removeSecretStates, splitAnswers } from '../../lib/flows/secret-answers.ts'
import { formatTimer, parseTimer, StepTimer } from '../../lib/flows/step-timer.ts'
import { renderProcedureEnd, renderStep } from '../../lib/flows/step-view.ts'
import { type Flow, type FlowNode, type FlowStep, IntakeField, type StepList, type TreeStructure } from '../../lib/flows/structure.ts'
import { validateFlow } from '../../lib/flows/validate.ts'
import { patchProcedure, printerFlow } from '../support/flows.ts'

const tree = printerFlow() as FlowNode
const list = patchProcedure() as StepList
const createSolution = (id: string, fields: Partial<FlowNode> = {}): FlowNode => ({
  id,
  type: 'solution',
  title: id,
  description: '',
  ...fields,
})
const createStep = (id: string, fields: Partial<FlowStep> = {}): FlowStep => ({
  id,
  type: 'procedure_step',
  title: id,
  description: 'x',
  ...fields,
})
const end = createStep('end', { type: 'procedure_end', title: 'Done', description: '' })
/** Return a chain of nodes, each below the one before it. */
const createChain = (depth: number): FlowNode =>
  Array.from({ length: depth - 1 }).reduceRight<FlowNode>(
    (child, _, n) => ({ id: `n${n}`, type: 'action', title: 'x', description: '', next_node_id: child.id, children: [child] }),
    createSolution('last'),
  )

describe('the limits of a draft', () => {
  const listErrors = (structure: TreeStructure) => {
    const flow: Flow = { tree_type: 'steps' in structure ? 'procedural' : 'troubleshooting', tree_structure: structure, intake_form: [] }
    return validateFlow(flow, 'draft').errors.map(({ node_id, path, message }) => [
      node_id,
      path.replace(/(\.children\[0\])+/, '…'),
      message,
    ])
  }
  const createSolutions = (count: number) => Array.from({ length: count }, (_, n) => createSolution(`n${n}`))

  it.each<[string, TreeStructure, unknown[]]>([
    ['50 levels', createChain(50), []],
    ['51 levels', createChain(51), [['last', 'tree_structure…', 'The flow is deeper than 50 levels here']]],
    ['52 levels', createChain(52), [['n50', 'tree_structure…', 'The flow is deeper than 50 levels here']]],
    ['500 nodes', { ...tree, children: createSolutions(499) }, []],
    [
      '501 nodes',
      { ...tree, children: createSolutions(500) },
      [[null, 'tree_structure', 'The flow has 501 nodes; at most 500 are allowed']],
    ],
    ['300 steps', { steps: Array.from({ length: 300 }, (_, n) => createStep(`s${n}`)) }, []],
    [
      '301 steps',
      { steps: Array.from({ length: 301 }, (_, n) => createStep(`s${n}`)) },
      [[null, 'tree_structure.steps', 'The flow has 301 steps; at most 300 are allowed']],
    ],
    [
      'an id that a fallback step has too',
      { steps: [createStep('a', { fallback_steps: [{ id: 'a', title: 'x', description: '' }] })] },
      [['a', 'tree_structure.steps[0].fallback_steps[0].id', 'The id a is used twice']],
    ],
    [
      'an option id that is used twice',
      createSolution('a', { options: ['x', 'y', 'x'].map((id) => ({ id, label: id })) }),
      [['a', 'tree_structure.options[2].id', 'The option id x is used twice in this decision']],
    ],
  ])('are checked for %s', (_, structure, errors) => {
    expect(listErrors(structure)).toEqual(errors)
  })
})

describe('the problems of a published list of steps', () => {
  const fallback = { id: 'f', title: 'x', description: '' }
  it.each<[string, FlowStep[], string[]]>([
    ['a step and the end', [createStep('a'), end], []],
    ['a step without title', [createStep('a', { title: ' ' }), end], ['[0].title: This step has no title']],
    [
      'a section without title',
      [createStep('h', { type: 'section_header', title: '' }), createStep('a'), end],
      ['[0].title: This section has no title'],
    ],
    ['an end without title', [createStep('a'), { ...end, title: '' }], []],
    [
      'a fallback step without title',
      [createStep('a', { fallback_steps: [{ ...fallback, title: null }] }), end],
      ['[0].fallback_steps[0].title: This fallback step has no title'],
    ],
    [
      'an end with fallback steps',
      [createStep('a'), { ...end, fallback_steps: [fallback] }],
      ['[1].fallback_steps: Only a procedure step can have fallback steps'],
    ],
    [
      'an end with a timer',
      [createStep('a', { timer: { minutes: 1 } }), { ...end, timer: { minutes: 1 } }],
      ['[1].timer: Only a step that is answered can have a timer'],
    ],
    [
      'an end with evidence',
      [createStep('a'), { ...end, evidence: [{ key: 'k', type: 'text', label: 'K' }] }],
      ['[1].evidence: Only a step that is answered can require evidence'],
    ],
    [
      'an end with an approval',
      [createStep('a'), { ...end, approval: { roles: ['engineer'] } }],
      ['[1].approval: Only a step that is answered can require an approval'],
    ],
    [
      'an approval by nobody',
      [createStep('a', { approval: { roles: [], user_ids: [] } }), end],
      ['[0].approval: The approval needs at least one role or person'],
    ],
    ['an approval by one person', [createStep('a', { approval: { user_ids: ['u'] } }), end], []],
    [
      'evidence that is invalid',
      [
        createStep('a', {
          evidence: [
            { key: 'k', type: 'select', label: 'K', options: ['x', 'x'] },
            { key: 'k', type: 'text', label: 'L', options: ['x'] },
            { key: 'n', type: 'note', label: 'N' },
            { key: 'm', type: 'note', label: 'M' },
            { key: 's', type: 'select', label: 'S', options: ['x', 'y'] },
          ],
        }),
        end,
      ],
      [
        '[0].evidence[0].options: The evidence “K” needs at least 2 different options',
        '[0].evidence[1].key: The evidence k is required twice in this step',
        '[0].evidence[1].options: The evidence “L” cannot have options; only a select has them',
        '[0].evidence[3].type: An answer has one note; require it once',
      ],
    ],
    ['no step', [end], [': The flow needs at least one procedure_step']],
    ['no end', [createStep('a')], [': The flow needs a procedure_end as its last step']],
    [
      'a step after the end',
      [createStep('a'), end, createStep('b')],
      ['[1]: The procedure_end must be the last step; no step after it can be reached'],
    ],
    [
      'two ends',
      [createStep('a'), { ...end, id: 'e' }, end],
      ['[1]: Only the last step can be a procedure_end; the flow has another one below'],
    ],
  ])('are found for %s', (_, steps, problems) => {
    const { errors } = validateFlow({ tree_type: 'procedural', tree_structure: { steps }, intake_form: [] }, 'published')
    expect(errors.map(({ path, message }) => `${path.replace('tree_structure.steps', '')}: ${message}`)).toEqual(problems)
  })

  it.each<[FlowStep[], string[]]>([
    [[createStep('a', { description: ' ' }), end], ['This step has no description']],
    [
      [createStep('h', { type: 'section_header' }), createStep('a'), createStep('h2', { type: 'section_header' }), end],
      ['This section has no steps'],
    ],
    [[{ ...end, description: '' }], []],
  ])('are warnings for %j', (steps, warnings) => {
    const result = validateFlow({ tree_type: 'procedural', tree_structure: { steps }, intake_form: [] }, 'published')
    expect(result.warnings.map(({ message }) => message)).toEqual(warnings)
  })
})

it.each<[Partial<IntakeField>, string[]]>([
  [{ type: 'select' }, ['options']],
  [{ type: 'multiselect', options: [] }, ['options']],
  [{ type: 'text' }, []],
  [{ type: 'select', options: ['a'], default: 'b' }, ['default']],
  [{ type: 'select', options: ['a'], default: 'a' }, []],
  [{ type: 'select', options: ['a'], default: null }, []],
  [{ type: 'text', options: ['a'], default: 'b' }, []],
  [{ type: 'multiselect', options: ['a', 'b'], default: ['a', 'c'] }, ['default']],
  [{ type: 'multiselect', options: ['a', 'b'], default: ['a', 'b'] }, []],
  [{ type: 'number', min: 2, max: 1 }, ['min']],
  [{ type: 'number', min: 2, max: 2 }, []],
  [{ type: 'number', min: 2 }, []],
  [{ type: 'text', pattern: '(' }, ['pattern']],
  [{ type: 'text', pattern: '(?=a)' }, ['pattern']],
  [{ type: 'text', pattern: 'a' }, []],
])('a field of a published intake form with %j has problems with %j', (fields, properties) => {
  const field: IntakeField = { key: 'k', label: 'K', type: 'text', required: false, ...fields }
  const { errors } = validateFlow({ tree_type: 'procedural', tree_structure: list, intake_form: [field] }, 'published')
  expect(errors.map(({ path }) => path)).toEqual(properties.map((property) => `intake_form[0].${property}`))
})

it.each<[Partial<IntakeField>, boolean]>([
  [{ secret: true }, true],
  [{ secret: true, type: 'textarea', default: null }, true],
  [{ secret: true, type: 'number' }, false],
  [{ secret: true, default: '' }, false],
  [{ secret: false, type: 'number', default: 1 }, true],
])('the schema of an intake field returns whether %j is valid', (fields, isValid) => {
  expect(IntakeField.safeParse({ key: 'k', label: 'K', type: 'text', ...fields }).success).toBe(isValid)
})

describe('findEvidenceMismatches', () => {
  const id = '0198c0de-0000-7000-8000-000000000000'
  const requirements: Record<string, EvidenceRequirement> = {
    text: { key: 'k', type: 'text', label: 'K' },
    number: { key: 'k', type: 'number', label: 'K' },
    boolean: { key: 'k', type: 'boolean', label: 'K' },
    select: { key: 'k', type: 'select', label: 'K', options: ['a', 'b'] },
    screenshot: { key: 'k', type: 'screenshot', label: 'K' },
  }

  it.each<[string, string | number | boolean, string | null]>([
    ['text', 'x'.repeat(2000), null],
    ['text', 'x'.repeat(2001), 'must be a text of 1 to 2000 characters'],
    ['text', ' ', 'must be a text of 1 to 2000 characters'],
    ['text', 1, 'must be a text of 1 to 2000 characters'],
    ['number', 0, null],
    ['number', '0', 'must be a number'],
    ['boolean', false, null],
    ['boolean', 0, 'must be true or false'],
    ['select', 'b', null],
    ['select', 'c', 'must be one of the options'],
    ['screenshot', id, null],
    ['screenshot', 'x', 'must be the id of an upload'],
  ])('checks that a %s may be %j', (type, value, message) => {
    const mismatches = findEvidenceMismatches([requirements[type] as EvidenceRequirement], { evidence: { k: value } })
    expect(mismatches).toEqual(message === null ? [] : [{ field: 'evidence', key: 'k', message, isMissing: false }])
  })

  it('returns what is missing and what is not required', () => {
    const note: EvidenceRequirement = { key: 'n', type: 'note', label: 'N' }
    const missing = { message: 'is required by this step', isMissing: true }
    const unknown = { message: 'must be a key that this step requires', isMissing: false }
    expect(findEvidenceMismatches([note, requirements.text as EvidenceRequirement], { note: ' ' })).toEqual([
      { field: 'note', key: null, ...missing },
      { field: 'evidence', key: 'k', ...missing },
    ])
    expect(findEvidenceMismatches([note], { note: 'x', evidence: { n: 'x' } })).toEqual([{ field: 'evidence', key: 'n', ...unknown }])
  })

  it('accepts what toProvidedEvidence stores', () => {
    const all = [
      { key: 'n', type: 'note', label: 'N' },
      { ...requirements.screenshot, key: 's' },
      requirements.number,
    ] as EvidenceRequirement[]
    expect(toProvidedEvidence(all, { k: 0, s: id, n: 'x' })).toEqual([
      { key: 's', type: 'screenshot', label: 'K', value: null, upload_id: id },
      { key: 'k', type: 'number', label: 'K', value: 0, upload_id: null },
    ])
    expect(toProvidedEvidence(all)).toEqual([])
  })
})

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

it.each([
  [{ minutes: 1 }, '1', true],
  [{ minutes: 43_200 }, '43200', true],
  [{ minutes: 43_201 }, '43201', false],
  [{ minutes: 0 }, '0', false],
  [{ minutes: 999_999_999 }, '999999999', false],
  [{ until: '1000000000' }, '1000000000', false],
  [{ until: '18:00' }, '18:00', true],
  [{ until: '24:00' }, '24:00', false],
])('the timer %j is written as %j, and its schema returns %j', (timer, word, isValid) => {
  expect([formatTimer(timer as StepTimer), parseTimer(word), StepTimer.safeParse(timer).success]).toEqual([word, timer, isValid])
})

it('diffStructures returns the smallest patch of a list', () => {
  const without = (id: string): StepList => ({ steps: list.steps.filter((step) => step.id !== id) })
  const renamed: StepList = { steps: list.steps.map((step) => (step.id === 'patch' ? { ...step, title: 'New', group_label: 'G' } : step)) }
  expect(diffStructures(list, without('snapshot'))).toEqual([{ op: 'remove', path: '/steps/1' }])
  expect(diffStructures(without('snapshot'), list)).toEqual([{ op: 'add', path: '/steps/1', value: list.steps[1] }])
  expect(diffStructures(list, renamed)).toEqual([
    { op: 'replace', path: '/steps/2/title', value: 'New' },
    { op: 'add', path: '/steps/2/group_label', value: 'G' },
  ])
  expect(diffStructures(renamed, list).at(-1)).toEqual({ op: 'remove', path: '/steps/2/group_label' })
  expect(diffStructures(tree, list)).toEqual([{ op: 'replace', path: '', value: list }])
  expect(diffStructures(list, list)).toEqual([])
})

it('buildPreview returns three levels of a tree, and marks nodes whose children it leaves out', () => {
  expect(buildPreview(createChain(4))).toMatchObject({ children: [{ children: [{ id: 'n2', truncated: true }] }] })
  expect(JSON.stringify(buildPreview(createChain(3)))).not.toContain('truncated')
  expect(JSON.stringify(buildPreview(createChain(4)))).not.toContain('last')
  expect(buildPreview({ ...createSolution('a'), title: null, description: null })).toEqual({
    id: 'a',
    type: 'solution',
    title: '',
    description: '',
  })
  expect(
    buildPreview({ steps: [createStep('a', { group_label: 'G', fallback_steps: [{ id: 'f' }], script_template_id: 'x' }), end] }),
  ).toEqual({
    steps: [
      {
        id: 'a',
        type: 'procedure_step',
        title: 'a',
        description: 'x',
        group_label: 'G',
        fallback_steps: [{ id: 'f', title: '', description: '' }],
      },
      { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
    ],
  })
})

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

it('secret answers are split from the variables, and a client may send their states back', () => {
  const form: IntakeField[] = [
    { key: 'pin', label: 'PIN', type: 'text', required: false, secret: true },
    { key: 'user', label: 'User', type: 'text', required: false },
  ]
  const state = { secret: true, set: false }
  expect(describeSecrets(form, [])).toEqual({ pin: state })
  expect(describeSecrets(form, ['pin'])).toEqual({ pin: { secret: true, set: true } })
  expect(removeSecretStates<unknown>(form, { pin: state, user: state })).toEqual({ user: state })
  for (const pin of ['1', null, { secret: false, set: true }, { secret: true }])
    expect(removeSecretStates<unknown>(form, { pin })).toEqual({ pin })
  expect(splitAnswers(form, { pin: '1', user: 'ana' })).toEqual({ variables: { user: 'ana' }, secrets: { pin: '1' } })
})

it('insertCustomSteps inserts after the step or its fallback step, and never after the end', () => {
  const insertAfter = (after_step_id: string, structure: TreeStructure = list) =>
    insertCustomSteps(structure, [{ after_step_id, title: 'New', description: '' }], new Map([['ping', 'no']]))
  const listIds = (structure: TreeStructure) => (structure as StepList).steps.map(({ id }) => id)
  expect(listIds(insertAfter('snapshot'))).toEqual(['before', 'snapshot', 'custom-1', 'patch', 'end'])
  expect(listIds(insertAfter('backup'))).toEqual(['before', 'snapshot', 'custom-1', 'patch', 'end'])
  for (const id of ['end', 'patch', 'gone']) expect(listIds(insertAfter(id))).toEqual(['before', 'snapshot', 'patch', 'custom-1', 'end'])
  expect(listIds(insertAfter('a', { steps: [createStep('a'), createStep('custom-1')] }))).toEqual(['a', 'custom-2', 'custom-1'])
  expect(insertAfter('ping', tree)).toMatchObject({
    id: 'ping',
    options: [{ next_node_id: 'queue' }, { next_node_id: 'custom-1' }],
    children: [{ id: 'queue' }, { id: 'custom-1', type: 'action', next_node_id: 'cable', children: [{ id: 'cable' }] }],
  })
  expect(insertAfter('works', tree)).toMatchObject({
    children: [{ next_node_id: 'custom-1', children: [{ id: 'custom-1', next_node_id: 'works' }] }, {}],
  })
})

it('a published flow needs steps, and is warned about two options with the same target', () => {
  const check = (tree_structure: TreeStructure | null) =>
    validateFlow({ tree_type: 'troubleshooting', tree_structure, intake_form: [] }, 'published')
  expect(check(null)).toEqual({ errors: [{ node_id: null, path: 'tree_structure', message: 'The flow has no steps yet' }], warnings: [] })
  const options = ['queue', 'cable', 'queue'].map((next_node_id, n) => ({ id: `o${n}`, label: 'x', next_node_id }))
  expect(check({ ...tree, title: 'x', description: '', options })).toEqual({
    errors: [],
    warnings: [
      {
        node_id: 'ping',
        path: 'tree_structure.options[2].next_node_id',
        message: 'Two options lead to queue; choosing between them makes no difference',
      },
    ],
  })
  expect(check(createSolution('a', { title: ' ' })).errors).toEqual([
    { node_id: 'a', path: 'tree_structure.title', message: 'This solution has no title' },
  ])
})
