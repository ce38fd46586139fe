import { describe, expect, it } from 'vitest'
import { buildStructure, type FlatNode, flattenStructure } from '#rules/flows/flat-nodes.ts'
import type { FlowNode, TreeStructure } from '#rules/flows/structure.ts'
import { createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'

const node = (id: string, kind: FlatNode['kind'], fields: Partial<FlatNode> = {}): FlatNode => ({
  id,
  kind,
  title: id,
  description: '',
  options: [],
  next: null,
  ...fields,
})
const decision = (id: string, ...targets: string[]) =>
  node(id, 'decision', { options: targets.map((leads_to, n) => ({ label: `${n}`, leads_to })) })
const buildTree = (...nodes: FlatNode[]) => buildStructure('troubleshooting', nodes)

describe('flattenStructure', () => {
  it('lists parents before children, with empty texts for missing ones', () => {
    const tree: FlowNode = {
      id: 'a',
      type: 'decision',
      title: null,
      options: [{ label: 'x', next_node_id: 'b' }, { label: 'y', next_node_id: null }, { label: 'z' }],
      children: [
        {
          id: 'b',
          type: 'action',
          title: 'B',
          description: 'D',
          next_node_id: 'c',
          children: [createSolution('c')],
        },
      ],
    }
    expect(flattenStructure(tree)).toEqual([
      node('a', 'decision', {
        title: '',
        options: [
          { label: 'x', leads_to: 'b' },
          { label: 'y', leads_to: '' },
          { label: 'z', leads_to: '' },
        ],
      }),
      node('b', 'action', { title: 'B', description: 'D', next: 'c' }),
      node('c', 'solution'),
    ])
  })

  it('lists steps without their fallback steps', () => {
    expect(
      flattenStructure(patchProcedure() as TreeStructure).map(({ id, kind, next }) => [id, kind, next]),
    ).toEqual([
      ['before', 'section_header', null],
      ['snapshot', 'procedure_step', null],
      ['patch', 'procedure_step', null],
      ['end', 'procedure_end', null],
    ])
  })
})

describe('buildStructure', () => {
  it('builds a tree of nodes in any order after the root', () => {
    expect(
      buildTree(
        decision('a', 'b', 'c'),
        node('d', 'solution'),
        node('c', 'action', { next: 'd' }),
        node('b', 'solution'),
      ),
    ).toEqual({
      structure: {
        id: 'a',
        type: 'decision',
        title: 'a',
        description: '',
        options: [
          { label: '0', next_node_id: 'b' },
          { label: '1', next_node_id: 'c' },
        ],
        children: [
          createSolution('b'),
          {
            id: 'c',
            type: 'action',
            title: 'c',
            description: '',
            next_node_id: 'd',
            children: [createSolution('d')],
          },
        ],
      },
    })
  })

  it('builds one node for two options of a decision with the same target', () => {
    const result = buildTree(decision('a', 'b', 'b'), node('b', 'solution'))
    expect(result).toMatchObject({
      structure: { options: [{ next_node_id: 'b' }, { next_node_id: 'b' }], children: [{ id: 'b' }] },
    })
    expect('structure' in result && (result.structure as FlowNode).children).toHaveLength(1)
  })

  it.each<[string, FlatNode[], string[]]>([
    [
      'a node of a procedure',
      [decision('a'), node('b', 'procedure_step')],
      ['The node b is a procedure_step, which a troubleshooting flow does not have'],
    ],
    [
      'an id that is used twice',
      [decision('a', 'b'), node('b', 'solution'), node('b', 'solution')],
      ['The id b is used twice'],
    ],
    ['a link to nothing', [decision('a', 'x')], ['The node a leads to x, which does not exist']],
    [
      'two links to a node',
      [decision('a', 'b', 'c'), node('b', 'solution'), node('c', 'action', { next: 'b' })],
      ['The node b is reached twice: write a separate node for each link'],
    ],
    [
      'a link to the root',
      [decision('a', 'b'), node('b', 'action', { next: 'a' })],
      ['The node a is reached twice: write a separate node for each link'],
    ],
    [
      'a node without a link to it',
      [decision('a', 'b'), node('b', 'solution'), node('c', 'solution')],
      ['Nothing leads to the node c'],
    ],
    [
      'two problems',
      [decision('a', 'x'), node('c', 'solution')],
      ['The node a leads to x, which does not exist', 'Nothing leads to the node c'],
    ],
  ])('returns the problems of a tree with %s', (_, nodes, problems) => {
    expect(buildTree(...nodes)).toEqual({ problems })
  })

  it('returns the nodes of a tree in a list of steps as problems', () => {
    expect(buildStructure('procedural', [node('a', 'procedure_step'), node('b', 'action')])).toEqual({
      problems: ['The node b is a action, which a procedural flow does not have'],
    })
  })

  it('builds steps without a base flow', () => {
    expect(
      buildStructure('procedural', [
        node('a', 'procedure_step', { description: 'D' }),
        node('end', 'procedure_end'),
      ]),
    ).toEqual({
      structure: {
        steps: [
          { id: 'a', type: 'procedure_step', title: 'a', description: 'D' },
          { id: 'end', type: 'procedure_end', title: 'end', description: '' },
        ],
      },
    })
  })

  it('copies from the base flow only what a flat node does not have', () => {
    const attachments = [{ title: 'T', url: 'https://x.example' }]
    const extras = { attachments, estimated_minutes: 0, timer: { minutes: 5 }, approval: { user_ids: ['u'] } }
    const fallback_steps = [{ id: 'f', title: 'f', description: '' }]
    const base = {
      steps: [
        createStep('a', { ...extras, group_label: 'G', fallback_steps, script_template_id: null }),
        createEnd(),
      ],
    }
    expect(
      buildStructure('procedural', [node('a', 'procedure_step'), node('b', 'procedure_step')], base),
    ).toEqual({
      structure: {
        steps: [
          {
            id: 'a',
            type: 'procedure_step',
            title: 'a',
            description: '',
            ...extras,
            group_label: 'G',
            fallback_steps,
          },
          { id: 'b', type: 'procedure_step', title: 'b', description: '' },
        ],
      },
    })
  })

  it.each<[string, Partial<ReturnType<typeof createStep>>]>([
    ['only a group', { group_label: 'G' }],
    ['only fallback steps', { fallback_steps: [{ id: 'f', title: 'f', description: '' }] }],
  ])('copies from a step with %s', (_, fields) => {
    const base = { steps: [createStep('a', fields)] }
    expect(buildStructure('procedural', [node('a', 'procedure_step')], base)).toEqual({
      structure: { steps: [{ id: 'a', type: 'procedure_step', title: 'a', description: '', ...fields }] },
    })
  })

  it('gives an option no id of a base option with another label and target', () => {
    const options = [
      { label: 'Maybe', leads_to: 'queue' },
      { label: 'Never', leads_to: 'works' },
    ]
    const nodes = [
      node('ping', 'decision', { options }),
      node('queue', 'solution'),
      node('works', 'solution'),
    ]
    expect(buildStructure('troubleshooting', nodes, printerFlow() as FlowNode)).toMatchObject({
      structure: {
        options: [
          { id: 'yes', label: 'Maybe', next_node_id: 'queue' },
          { label: 'Never', next_node_id: 'works' },
        ],
      },
    })
  })
})
