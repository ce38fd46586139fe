import { describe, expect, it } from 'vitest'
import type { FlowNode, IntakeField, TreeStructure } from '#rules/flows/structure.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { type SubflowState, validateSubflowState, validateSubflows } from '#rules/flows/subflow-rules.ts'
import { createEnd, createStep } from '#test/support/flow-nodes.ts'

const form: IntakeField[] = [
  { key: 'pin', label: 'PIN', type: 'text', required: false, secret: true },
  { key: 'user', label: 'User', type: 'text', required: false },
]
const decision = (fields: Partial<FlowNode>): FlowNode => ({
  id: 'd',
  type: 'decision',
  title: 'd',
  options: [{ id: 'yes', label: 'Yes' }],
  ...fields,
})
const findProblems = (tree_structure: TreeStructure | null) =>
  validateSubflows({ tree_type: 'procedural', tree_structure, intake_form: form }).map(
    ({ path, message }) => `${path}: ${message}`,
  )

describe('the sub-flow of a step', () => {
  it.each<[string, TreeStructure | null, string[]]>([
    ['no flow', null, []],
    [
      'a step',
      { steps: [createStep('a', { subflow: { tree_id: 't', outputs: { user: 'x', other: 'y' } } })] },
      [],
    ],
    [
      'an end',
      { steps: [createEnd({ subflow: { tree_id: 't' } })] },
      ['tree_structure.steps[0].subflow: Only a step with an answer can run a sub-flow'],
    ],
    [
      'a section',
      { steps: [createStep('h', { type: 'section_header', subflow: { tree_id: 't' } })] },
      ['tree_structure.steps[0].subflow: Only a step with an answer can run a sub-flow'],
    ],
    [
      'a step with a secret output',
      { steps: [createStep('a', { subflow: { tree_id: 't', outputs: { user: 'x', pin: 'y' } } })] },
      ['tree_structure.steps[0].subflow.outputs.pin: A sub-flow cannot fill the secret field pin'],
    ],
    [
      'a step with options',
      { steps: [createStep('a', { subflow: { tree_id: 't', options: { resolved: 'yes' } } })] },
      ['tree_structure.steps[0].subflow.options: Only the sub-flow of a decision can choose options'],
    ],
    [
      'a step with empty options',
      { steps: [createStep('a', { subflow: { tree_id: 't', options: { resolved: null } } })] },
      [],
    ],
    [
      'a decision',
      decision({ subflow: { tree_id: 't', options: { resolved: 'yes', cancelled: null } } }),
      [],
    ],
    [
      'a decision without the option',
      decision({ subflow: { tree_id: 't', options: { resolved: 'yes', unresolved: 'no' } } }),
      ['tree_structure.subflow.options.unresolved: This decision has no option no'],
    ],
    [
      'a decision without options',
      decision({ options: null, subflow: { tree_id: 't', options: { resolved: 'yes' } } }),
      ['tree_structure.subflow.options.resolved: This decision has no option yes'],
    ],
    ['an action', { ...decision({ subflow: { tree_id: 't' } }), type: 'action' }, []],
    ['a solution', { ...decision({ subflow: { tree_id: 't' } }), type: 'solution' }, []],
  ])('is checked for %s', (_, structure, problems) => {
    expect(findProblems(structure)).toEqual(problems)
  })
})

describe('the state of a sub-flow', () => {
  const references = listSubflows({ steps: [createStep('a', { subflow: { tree_id: 't' } })] })
  const flow = { id: 't', name: 'VPN', status: 'published', visibility: 'account' }
  const check = (state: Partial<SubflowState>, visibility = 'account') => {
    const { errors, warnings } = validateSubflowState(
      references,
      { flows: [flow], problems: [], ...state },
      visibility,
    )
    return { errors: errors.map(({ message }) => message), warnings: warnings.map(({ message }) => message) }
  }
  const narrower = 'The flow “VPN” is shared with fewer people than this flow, so some cannot run it'

  it.each<[string, Partial<SubflowState>, string[]]>([
    ['is published', {}, []],
    ['is unknown', { flows: [] }, ['The flow t does not exist, or you cannot see it']],
    ['is a draft', { flows: [{ ...flow, status: 'draft' }] }, ['The flow “VPN” is not published']],
    [
      'runs this flow',
      { problems: [{ child_tree_id: 't', problem: 'cycle' }] },
      ['The flow “VPN” runs this flow, so this flow would run itself'],
    ],
    ['is not the one that runs this flow', { problems: [{ child_tree_id: 'other', problem: 'cycle' }] }, []],
    [
      'is nested too deeply',
      { problems: [{ child_tree_id: 't', problem: 'depth' }] },
      ['Sub-flows would be nested deeper than 5 levels'],
    ],
  ])('%s', (_, state, errors) => {
    expect(check(state)).toEqual({ errors, warnings: [] })
  })

  it('names the step and the path of an error', () => {
    const { errors } = validateSubflowState(
      references,
      { flows: [], problems: [{ child_tree_id: 't', problem: 'depth' }] },
      'team',
    )
    expect(errors.map(({ node_id, path }) => [node_id, path])).toEqual([
      ['a', 'tree_structure.steps[0].subflow.tree_id'],
      [null, 'tree_structure'],
    ])
  })

  it.each([
    ['private', 'private', []],
    ['private', 'team', [narrower]],
    ['private', 'account', [narrower]],
    ['team', 'private', []],
    ['team', 'team', []],
    ['team', 'account', [narrower]],
    ['team', 'public', [narrower]],
    ['account', 'team', []],
    ['account', 'account', []],
    ['account', 'public', []],
    ['public', 'account', []],
  ])('warns about a %s flow in a %s flow: %j', (visibility, parentVisibility, warnings) => {
    expect(check({ flows: [{ ...flow, visibility }] }, parentVisibility)).toEqual({ errors: [], warnings })
  })
})
