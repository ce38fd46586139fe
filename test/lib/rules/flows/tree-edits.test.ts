import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEdit } from '#local/model/flow-edits.ts'
import { EditProblem } from '#rules/flows/edit.ts'
import type { FlowNode } from '#rules/flows/structure.ts'
import { editTree } from '#rules/flows/tree-edits.ts'
import { walkNodes } from '#rules/flows/walk.ts'
import { draftTree } from '#test/support/flow-arbitraries.ts'
import { createSolution } from '#test/support/flow-nodes.ts'

type Fields = Parameters<typeof createEdit>[0]
const action = (id: string, child: FlowNode): FlowNode => ({
  id,
  type: 'action',
  title: id,
  description: '',
  next_node_id: child.id,
  children: [child],
})
const tree: FlowNode = {
  id: 'root',
  type: 'decision',
  title: 'root',
  description: '',
  options: [
    { id: 'yes', label: 'Yes', next_node_id: 'a' },
    { id: 'no', label: 'No', next_node_id: 'b' },
    { id: 'open', label: 'Not yet' },
  ],
  children: [action('a', createSolution('a1')), createSolution('b')],
}
const apply = (root: FlowNode, ...edits: Fields[]) => editTree(root, edits.map(createEdit))
/** Return a tree as nested ids: `root(a(a1) b)`. */
const format = ({ id, children }: FlowNode): string =>
  children?.length ? `${id}(${children.map(format).join(' ')})` : id

describe('an edit of a tree', () => {
  it.each<[string, Fields[], string]>([
    ['removes a node with all that is below it', [{ op: 'remove', id: 'a' }], 'root(b)'],
    [
      'removes two nodes',
      [
        { op: 'remove', id: 'a1' },
        { op: 'remove', id: 'b' },
      ],
      'root(a)',
    ],
    [
      'puts an action before a node, which then follows it',
      [{ op: 'insert', id: 'n', kind: 'action', position: 'before', anchor: 'a' }],
      'root(n(a(a1)) b)',
    ],
    [
      'puts an action with its own next node before another',
      [
        { op: 'insert', id: 'n', kind: 'action', position: 'before', anchor: 'a1', next: 'a1' },
        { op: 'insert', id: 'm', kind: 'action', anchor: 'n' },
      ],
      'root(a(m(n(a1))) b)',
    ],
    [
      'adds a node that an edited option leads to',
      [
        { op: 'insert', id: 'n', kind: 'solution' },
        {
          op: 'update',
          id: 'root',
          options: [
            { label: 'Yes', leads_to: 'a' },
            { label: 'No', leads_to: 'n' },
          ],
        },
        { op: 'remove', id: 'b' },
      ],
      'root(a(a1) n)',
    ],
  ])('%s', (_, edits, expected) => {
    expect(format(apply(tree, ...edits))).toBe(expected)
  })

  it('removes the links to a removed node, and keeps options without a target', () => {
    expect(apply(tree, { op: 'remove', id: 'b' }).options).toEqual([
      { id: 'yes', label: 'Yes', next_node_id: 'a' },
      { id: 'open', label: 'Not yet' },
    ])
    const [a] = apply(tree, { op: 'remove', id: 'a1' }).children ?? []
    expect(a).toEqual({ id: 'a', type: 'action', title: 'a', description: '', children: [] })
  })

  it('changes all links to a node that another one replaces', () => {
    const result = apply(tree, { op: 'insert', id: 'n', kind: 'action', title: 'N', anchor: 'b' })
    expect(result).toEqual({
      ...tree,
      options: [
        { id: 'yes', label: 'Yes', next_node_id: 'a' },
        { id: 'no', label: 'No', next_node_id: 'n' },
        { id: 'open', label: 'Not yet' },
      ],
      children: [
        tree.children?.[0],
        {
          id: 'n',
          type: 'action',
          title: 'N',
          description: '',
          next_node_id: 'b',
          children: [createSolution('b')],
        },
      ],
    })
  })

  it('keeps the options of a decision whose kind does not change, and drops the links of a node of another kind', () => {
    expect(apply(tree, { op: 'update', id: 'root', kind: 'decision', title: 'T' })).toEqual({
      ...tree,
      title: 'T',
    })
    const changed = apply(tree, { op: 'update', id: 'a', kind: 'solution' }, { op: 'remove', id: 'a1' })
    expect(changed.children?.[0]).toEqual({
      id: 'a',
      type: 'solution',
      title: 'a',
      description: '',
      children: [],
    })
  })

  it('ignores options of a node that is no decision, and a next node of one that is no action', () => {
    const options = [{ label: 'x', leads_to: 'a' }]
    expect(apply(tree, { op: 'update', id: 'b', options, next: 'a' })).toEqual(tree)
    expect(apply(tree, { op: 'update', id: 'root', next: 'b' })).toEqual(tree)
  })

  it('keeps a child that no link led to, in its place, until it is removed', () => {
    const withUnlinked = { ...tree, children: [createSolution('free'), ...(tree.children ?? [])] }
    expect(format(apply(withUnlinked, { op: 'update', id: 'b', title: 'B' }))).toBe('root(free a(a1) b)')
    expect(format(apply(withUnlinked, { op: 'remove', id: 'free' }))).toBe('root(a(a1) b)')
  })

  it('keeps an unfinished draft as it is, whatever its links, when nothing is to be changed', () => {
    fc.assert(
      fc.property(draftTree, (draft) => {
        expect(apply(draft)).toEqual(draft)
      }),
    )
  })

  it('changes one field of an unfinished draft, whatever its links', () => {
    fc.assert(
      fc.property(draftTree, fc.nat(), (draft, number) => {
        const ids = [...walkNodes(draft)].map(({ node }) => node.id)
        const id = ids[number % ids.length] as string
        const expected = structuredClone(draft)
        for (const { node } of walkNodes(expected)) if (node.id === id) node.title = 'New'
        expect(apply(draft, { op: 'update', id, title: 'New' })).toEqual(expected)
      }),
    )
  })

  const draft = {
    ...tree,
    children: [
      action('a', createSolution('a1')),
      { ...createSolution('b'), next_node_id: 'a1' },
      createSolution('free'),
    ],
  }
  const noB = [
    { label: 'Yes', leads_to: 'a' },
    { label: 'No', leads_to: 'nowhere' },
  ]
  it.each<[string, FlowNode, Fields[], string]>([
    [
      'does not move a node that a wrong link of another leads to',
      draft,
      [{ op: 'update', id: 'b', title: 'B' }],
      'root(a(a1) b free)',
    ],
    [
      'moves a node to a wrong link, when it is the last link to the node',
      draft,
      [{ op: 'update', id: 'a', kind: 'solution' }],
      'root(a b(a1) free)',
    ],
    ['removes a node that a wrong link leads to', draft, [{ op: 'remove', id: 'a1' }], 'root(a b free)'],
    [
      'puts a node in front of one that a wrong link leads to',
      draft,
      [{ op: 'insert', id: 'n', kind: 'action', anchor: 'a1' }],
      'root(a(n(a1)) b free)',
    ],
    [
      'puts a node in front of one that nothing leads to',
      draft,
      [{ op: 'insert', id: 'n', kind: 'action', anchor: 'free' }],
      'root(a(a1) b n(free))',
    ],
    [
      'moves a node that nothing leads to',
      draft,
      [
        { op: 'update', id: 'a', next: 'free' },
        { op: 'remove', id: 'a1' },
      ],
      'root(a(free) b)',
    ],
    [
      'adds the node that a wrong link names',
      { ...tree, options: [...(tree.options ?? []), { id: 'x', label: 'X', next_node_id: 'x' }] },
      [{ op: 'insert', id: 'x', kind: 'solution' }],
      'root(a(a1) b x)',
    ],
    [
      'keeps a wrong link among new options',
      { ...tree, options: [...(tree.options ?? []), { id: 'x', label: 'X', next_node_id: 'nowhere' }] },
      [
        { op: 'update', id: 'root', options: noB },
        { op: 'remove', id: 'b' },
      ],
      'root(a(a1))',
    ],
  ])('%s', (_, root, edits, expected) => {
    expect(format(apply(root, ...edits))).toBe(expected)
  })

  it('gives no children to a solution, and keeps an empty list of children', () => {
    expect(apply(createSolution('s'), { op: 'update', id: 's', title: 'T' })).toEqual({
      ...createSolution('s'),
      title: 'T',
    })
    expect(apply(createSolution('s', { children: null }))).toEqual(createSolution('s', { children: null }))
    expect(apply(createSolution('s', { children: [] }), { op: 'update', id: 's', title: 'T' })).toEqual({
      ...createSolution('s', { children: [] }),
      title: 'T',
    })
  })

  it.each<[string, Fields[], string]>([
    [
      'of a node that an earlier edit removed',
      [
        { op: 'remove', id: 'b' },
        { op: 'update', id: 'b' },
      ],
      'There is no node b',
    ],
    [
      'before an unknown node',
      [{ op: 'insert', id: 'n', kind: 'action', anchor: 'gone' }],
      'There is no node gone',
    ],
    [
      'after a node',
      [{ op: 'insert', id: 'n', kind: 'action', position: 'after', anchor: 'b' }],
      'In a tree, insert a node before its anchor, or link it',
    ],
    [
      'before a node that nothing leads to then',
      [{ op: 'insert', id: 'n', kind: 'solution', anchor: 'b' }],
      'Nothing leads to the node b: link or remove it',
    ],
    [
      'to a node that does not exist',
      [{ op: 'update', id: 'a', next: 'x' }],
      'A link leads to the node x, which does not exist',
    ],
    [
      'that leaves a node without a link beside a removed one',
      [
        { op: 'remove', id: 'b' },
        { op: 'update', id: 'a', kind: 'solution' },
      ],
      'Nothing leads to the node a1: link or remove it',
    ],
    [
      'that leaves a node without a link',
      [{ op: 'update', id: 'a', kind: 'solution' }],
      'Nothing leads to the node a1: link or remove it',
    ],
  ])('%s is refused', (_, edits, message) => {
    expect(() => apply(tree, ...edits)).toThrow(new EditProblem(message))
  })
})
