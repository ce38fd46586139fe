import { describe, expect, it } from 'vitest'
import type { FlowNode, FlowStep } from '#rules/flows/structure.ts'
import { attachNotes, joinOptions } from '#rules/knowledge/attach-notes.ts'
import { maxNodeLength } from '#rules/knowledge/blocks.ts'
import { buildFlow } from '#rules/knowledge/flow.ts'
import { isSameOrDescendant } from '#rules/knowledge/node-tree.ts'
import type { KbNode, NodeKind } from '#rules/knowledge/nodes.ts'

interface NodeFields {
  title?: string
  parent?: string
  id?: string
}
/** Create a node whose title and id are its content unless they are given. */
const node = (
  kind: NodeKind,
  content: string,
  { title = content, parent, id = content }: NodeFields = {},
): KbNode => ({
  ...{ id, parent_id: parent ?? null, position: 0, kind, title, content },
})
const describeNodes = (nodes: readonly KbNode[]) => nodes.map(({ kind, content }) => `${kind}: ${content}`)

describe('attachNotes', () => {
  it.each<[string, KbNode[], string[]]>([
    [
      'adds a note to the step before it',
      [node('step', 'a b', { title: 'a' }), node('note', 'c')],
      ['step: a b\n\nc'],
    ],
    [
      'replaces the content of a step that repeats its title',
      [node('step', '1. a', { title: ' a ' }), node('note', 'c')],
      ['step: c'],
    ],
    [
      'adds several notes',
      [node('step', 'a b', { title: 'a' }), node('note', 'c'), node('note', 'd')],
      ['step: a b\n\nc\n\nd'],
    ],
    [
      'adds a note to the section that it starts',
      [node('section', '', { title: 's', id: 's' }), node('note', 'c', { parent: 's' })],
      ['section: c'],
    ],
    [
      'keeps a note after a section apart',
      [node('section', '', { id: 's' }), node('note', 'c')],
      ['section: ', 'note: c'],
    ],
    [
      'keeps a note of another section apart',
      [node('step', 'a', { parent: 's' }), node('note', 'c', { parent: 't' })],
      ['step: a', 'note: c'],
    ],
    [
      'keeps a note without a step apart',
      [node('note', 'a'), node('note', 'b'), node('step', 'c')],
      ['note: a', 'note: b', 'step: c'],
    ],
    [
      'adds a note to a solution',
      [node('solution', 'a b', { title: 'a' }), node('note', 'c')],
      ['solution: a b\n\nc'],
    ],
    [
      'adds an introduction to the step after it',
      [node('note', 'Do **this:** '), node('step', 'a')],
      ['step: Do **this:** \n\na'],
    ],
    [
      'adds an introduction after a step to the next one',
      [node('step', 'a'), node('note', 'b:'), node('step', 'c')],
      ['step: a', 'step: b:\n\nc'],
    ],
    [
      'adds a note with a colon to the step before a decision',
      [node('step', 'a b', { title: 'a' }), node('note', 'c:'), node('decision', 'd')],
      ['step: a b\n\nc:', 'decision: d'],
    ],
    [
      'adds a note with a colon to the step before another section',
      [node('step', 'a b', { title: 'a' }), node('note', 'c:'), node('step', 'd', { parent: 's' })],
      ['step: a b\n\nc:', 'step: d'],
    ],
    [
      'adds a note without a colon to the step before it only',
      [node('step', 'a b', { title: 'a' }), node('note', 'c: d'), node('step', 'e')],
      ['step: a b\n\nc: d', 'step: e'],
    ],
    [
      'joins the items of a list without an empty line',
      [node('step', '- a b', { title: 'a' }), node('note', '- c')],
      ['step: - a b\n- c'],
    ],
    [
      'separates an item from a text',
      [node('step', '- a b', { title: 'a' }), node('note', 'c')],
      ['step: - a b\n\nc'],
    ],
    [
      'adds the title of a note that its content does not contain',
      [node('step', 'a b', { title: 'a' }), node('note', 'c', { title: ' T ' })],
      ['step: a b\n\n**T**\n\nc'],
    ],
    [
      'does not repeat a title in other marks',
      [node('step', 'a b', { title: 'a' }), node('note', '*c* d, e', { title: 'c d' })],
      ['step: a b\n\n*c* d, e'],
    ],
  ])('%s', (_, nodes, expected) => {
    expect(describeNodes(attachNotes(nodes))).toEqual(expected)
  })

  it('keeps a note apart that has no room in a node', () => {
    const attach = (length: number) =>
      attachNotes([node('step', 'a'.repeat(length), { title: 'abc' }), node('note', 'n')]).length
    expect([attach(maxNodeLength - 14), attach(maxNodeLength - 13)]).toEqual([1, 2])
  })

  it('keeps an introduction apart that has no room in a node', () => {
    const attach = (length: number) =>
      attachNotes([
        node('note', `${'a'.repeat(length)}:`, { title: 'abc' }),
        node('step', 'n', { title: 'n' }),
      ])
    expect([attach(maxNodeLength - 15).length, attach(maxNodeLength - 14).length]).toEqual([1, 2])
  })
})

describe('joinOptions', () => {
  const decision = node('decision', 'a?', { title: 'Is it?', id: 'd' })

  it('adds the options of a decision to it', () => {
    const nodes = [
      decision,
      node('step', '- b', { parent: 'd' }),
      node('step', '- c', { parent: 'd' }),
      node('step', 'e'),
    ]
    expect(describeNodes(joinOptions(nodes))).toEqual(['decision: a?\n\n- b\n\n- c', 'step: e'])
  })

  it('keeps options apart that have nodes below them, and those of another decision', () => {
    const withChild = [decision, node('step', 'b', { parent: 'd' }), node('note', 'c', { parent: 'b' })]
    expect(describeNodes(joinOptions(withChild))).toEqual(['decision: a?', 'step: b', 'note: c'])
    expect(describeNodes(joinOptions([decision, node('step', 'b', { parent: 'x' })]))).toEqual([
      'decision: a?',
      'step: b',
    ])
    expect(
      describeNodes(joinOptions([node('step', 'a', { id: 'd' }), node('step', 'b', { parent: 'd' })])),
    ).toEqual(['step: a', 'step: b'])
  })

  it('keeps an option apart that has no room in a node', () => {
    const join = (length: number) =>
      joinOptions([decision, node('step', 'b'.repeat(length), { parent: 'd', title: 'b' })]).length
    expect([join(maxNodeLength - 18), join(maxNodeLength - 17)]).toEqual([1, 2])
  })
})

describe('buildFlow', () => {
  const listSteps = (nodes: KbNode[]) => {
    const numbered = nodes.map((entry, position) => ({ ...entry, position }))
    const { steps } = buildFlow(numbered, 'procedural') as { steps: FlowStep[] }
    return steps.map(({ type, title, description }) => [type, title, description])
  }
  const end = ['procedure_end', 'Done', '']

  it('returns null without nodes', () => {
    expect([buildFlow([], 'procedural'), buildFlow([], 'troubleshooting')]).toEqual([null, null])
  })

  it('makes headers of sections and of notes that belong to no step', () => {
    expect(
      listSteps([
        node('note', 'a'),
        node('section', '', { title: 'S', id: 's' }),
        node('step', '1. b', { title: 'b', parent: 's' }),
      ]),
    ).toEqual([['section_header', 'a', ''], ['section_header', 'S', ''], ['procedure_step', 'b', ''], end])
  })

  it('makes steps of the notes of facts if an article has nothing else', () => {
    const facts = [
      node('section', '', { title: 'Meaning', id: 's' }),
      node('note', 'a', { parent: 's' }),
      node('note', 'b', { parent: 's' }),
    ]
    expect(listSteps(facts)).toEqual([
      ['section_header', 'Meaning', ''],
      ['procedure_step', 'a', ''],
      ['procedure_step', 'b', ''],
      end,
    ])
    expect(listSteps([node('section', '', { title: 'Meaning', id: 's' })])).toEqual([
      ['section_header', 'Meaning', ''],
      end,
    ])
  })

  it('adds options to the step of their decision', () => {
    const nodes = [node('decision', 'a?', { id: 'd' }), node('step', '- b', { title: 'b', parent: 'd' })]
    expect(listSteps(nodes)).toEqual([['procedure_step', 'a?', '- b'], end])
  })

  it('chains the nodes of a tree, and continues after a decision in its last option', () => {
    const nodes = [
      node('section', '', { title: 'S', id: 's' }),
      node('decision', 'a?', { id: 'd', parent: 's' }),
      node('step', 'b', { parent: 'd' }),
      node('step', 'c', { parent: 'd' }),
      node('step', 'e'),
    ].map((entry, position) => ({ ...entry, position }))
    const describeTree = ({ id, type, options, children }: FlowNode): unknown => [
      ...[id, type, ...(options ?? []).map((option) => `${option.label} -> ${option.next_node_id}`)],
      ...(children ?? []).map(describeTree),
    ]
    expect(describeTree(buildFlow(nodes, 'troubleshooting') as FlowNode)).toEqual([
      'd',
      'decision',
      'b -> b',
      'c -> c',
      'Go on -> e',
      ['b', 'solution'],
      ['c', 'solution'],
      ['e', 'solution'],
    ])
  })
})

it('isSameOrDescendant follows the parents of a node', () => {
  const nodes = [
    node('section', 'a'),
    node('section', 'b', { parent: 'a' }),
    node('step', 'c', { parent: 'b' }),
  ]
  const isBelow = (id: string, ancestor: string) => isSameOrDescendant(nodes, id, ancestor)
  expect([isBelow('c', 'c'), isBelow('c', 'a'), isBelow('a', 'c'), isBelow('x', 'a')]).toEqual([
    true,
    true,
    false,
    false,
  ])
})
