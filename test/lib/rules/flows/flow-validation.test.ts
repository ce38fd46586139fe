import { describe, expect, it } from 'vitest'
import type {
  Flow,
  FlowNode,
  FlowStep,
  IntakeField,
  StepList,
  TreeStructure,
} from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { createChain, createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'

const tree = printerFlow() as FlowNode
const list = patchProcedure() as StepList
const end = createEnd()

describe('the limits of a draft', () => {
  const listErrors = (structure: TreeStructure) => {
    const flow: Flow = {
      tree_type: 'steps' in structure ? 'procedural' : 'troubleshooting',
      tree_structure: structure,
      intake_form: [],
    }
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
        '[0].evidence[0].options[1]: The evidence “K” has the option of position 1 twice',
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
    const { errors } = validateFlow(
      { tree_type: 'procedural', tree_structure: { steps }, intake_form: [] },
      'published',
    )
    expect(
      errors.map(({ path, message }) => `${path.replace('tree_structure.steps', '')}: ${message}`),
    ).toEqual(problems)
  })

  it.each<[FlowStep[], string[]]>([
    [[createStep('a', { description: ' ' }), end], ['This step has no description']],
    [
      [
        createStep('h', { type: 'section_header' }),
        createStep('a'),
        createStep('h2', { type: 'section_header' }),
        end,
      ],
      ['This section has no steps'],
    ],
    [[{ ...end, description: '' }], []],
  ])('are warnings for %j', (steps, warnings) => {
    const result = validateFlow(
      { tree_type: 'procedural', tree_structure: { steps }, intake_form: [] },
      'published',
    )
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
  [{ type: 'multiselect', options: ['a'], default: 'a' }, ['default']],
  [{ type: 'select', options: ['5'], default: 5 }, ['default']],
  [{ type: 'text', default: '' }, []],
  [{ type: 'number', min: 2, max: 1, default: 'x' }, ['min']],
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
  const { errors } = validateFlow(
    { tree_type: 'procedural', tree_structure: list, intake_form: [field] },
    'published',
  )
  expect(errors.map(({ path }) => path)).toEqual(properties.map((property) => `intake_form[0].${property}`))
})

it('a published flow needs steps, and is warned about two options with the same target', () => {
  const check = (tree_structure: TreeStructure | null) =>
    validateFlow({ tree_type: 'troubleshooting', tree_structure, intake_form: [] }, 'published')
  expect(check(null)).toEqual({
    errors: [{ node_id: null, path: 'tree_structure', message: 'The flow has no steps yet' }],
    warnings: [],
  })
  const options = ['queue', 'cable', 'queue'].map((next_node_id, n) => ({
    id: `o${n}`,
    label: `x${n}`,
    next_node_id,
  }))
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

it.each<[Partial<IntakeField>, string]>([
  [{ type: 'select' }, 'The field k needs at least one option'],
  [
    { type: 'multiselect', options: ['a'], default: ['a', 'b', 'c'] },
    'The default of k must be a list of different values from a',
  ],
  [{ type: 'number', min: 2, max: 1 }, 'The minimum of k is greater than its maximum'],
  [{ pattern: '(' }, 'The pattern of k is not a regular expression'],
  [{ pattern: '(?=a)' }, 'The pattern of k uses lookaround or backreferences, or is too large; simplify it'],
])('a field of a published intake form with %j has the problem %s', (fields, message) => {
  const field: IntakeField = { key: 'k', label: 'K', type: 'text', required: false, ...fields }
  const { errors } = validateFlow(
    { tree_type: 'procedural', tree_structure: list, intake_form: [field] },
    'published',
  )
  expect(errors.map((error) => error.message)).toEqual([message])
})

it('FLO-70 two options with one label are a warning', () => {
  const labels = ['Yes', ' yes ', 'No']
  const options = ['queue', 'cable', 'power'].map((next_node_id, n) => ({
    id: `o${n}`,
    label: labels[n] ?? '',
    next_node_id,
  }))
  const { warnings } = validateFlow(
    {
      tree_type: 'troubleshooting',
      tree_structure: { ...tree, title: 'x', description: '', options },
      intake_form: [],
    },
    'published',
  )
  expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'tree_structure.options[1].label: Two options are called “ yes ”; nobody can tell them apart',
  ])
})
