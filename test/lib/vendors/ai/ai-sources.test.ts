import { describe, expect, it } from 'vitest'
import type { Candidate } from '#db/rows/candidates.ts'
import type { FlowNode, TreeStructure } from '#rules/flows/structure.ts'
import { createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'
import { toCitations, toSources } from '#vendors/ai/sources.ts'

const flow = (tree_structure: TreeStructure, fields: object = {}) =>
  ({
    ...{ kind: 'flow', id: 'f', title: 'F' },
    content: { description: 'D', category: null, tree_type: 'troubleshooting', tree_structure, ...fields },
  }) as unknown as Candidate
const article = (text: string) =>
  ({ kind: 'article', id: 'a', title: 'A', content: { text } }) as unknown as Candidate
const listNodes = (structure: TreeStructure) => toSources([flow(structure)]).facts.flows[0]?.nodes

describe('a flow as a source', () => {
  it('has the nodes of a tree, with placeholders by name and the old titles', () => {
    const root: FlowNode = {
      id: 'r',
      type: 'decision',
      title: 'Ping {{printer_ip}}?',
      description: null,
      options: [{ label: 'At {{ site }}', next_node_id: 'a' }, { label: 'No' }],
      children: [
        {
          id: 'a',
          type: 'action',
          action: 'Old action',
          solution: 'x',
          next_node_id: 's',
          children: [createSolution('s')],
        },
        { id: 'b', type: 'solution', title: null, solution: 'Old solution' },
        { id: 'c', type: 'solution' },
      ],
    }
    const leaf = { description: '', options: [], next: null }
    expect(listNodes(root)).toEqual([
      {
        ...{ id: 'r', kind: 'decision', title: 'Ping [printer ip]?', description: '', next: null },
        options: [
          { label: 'At [site]', leads_to: 'a' },
          { label: 'No', leads_to: '' },
        ],
      },
      { ...leaf, id: 'a', kind: 'action', title: 'Old action', next: 's' },
      { ...leaf, id: 's', kind: 'solution', title: 's' },
      { ...leaf, id: 'b', kind: 'solution', title: 'Old solution' },
      { ...leaf, id: 'c', kind: 'solution', title: '' },
    ])
  })

  it('has the steps of a list, each followed by the next', () => {
    const steps = [
      createStep('a', { description: 'x'.repeat(301) }),
      createStep('b', { title: null, description: null }),
      createEnd(),
    ]
    expect(listNodes({ steps })).toEqual([
      {
        id: 'a',
        kind: 'procedure_step',
        title: 'a',
        description: `${'x'.repeat(300)}…`,
        options: [],
        next: 'b',
      },
      { id: 'b', kind: 'procedure_step', title: '', description: '', options: [], next: 'end' },
      { id: 'end', kind: 'procedure_end', title: 'Done', description: '', options: [], next: null },
    ])
  })

  it.each([
    [80, 80],
    [81, 80],
  ])('has at most 80 of %i steps', (count, listed) => {
    expect(
      listNodes({ steps: Array.from({ length: count }, (_, n) => createStep(`${n}`, { description: '' })) }),
    ).toHaveLength(listed)
  })

  it('has the steps that fit into 12,000 characters', () => {
    const list = (lastTitle: string) => {
      const steps = Array.from({ length: 20 }, (_, n) =>
        createStep(`${n}`, { title: 'x'.repeat(500), description: '' }),
      )
      return toSources([flow({ steps: [...steps, createEnd({ title: lastTitle })] })]).facts.flows[0]
    }
    // Without the brackets around the steps and the text `,"nodes":`, but with a comma after each step.
    const length = JSON.stringify(list('')).length - '[],"nodes":'.length + 1
    const longest = 'x'.repeat(12_000 - length)
    expect(list(longest)?.nodes).toHaveLength(21)
    expect(list(`${longest}x`)?.nodes).toHaveLength(20)
  })
})

it('sources share 24,000 characters, and one that would get fewer than 600 is left out', () => {
  // Each article is cut after 6,000 characters; 34 more are its number, its title and the names of its
  // fields.
  const length = JSON.stringify({ number: 1, title: 'A', text: '' }).length
  const { facts, numbered } = toSources(
    ['x'.repeat(7000), 'y'.repeat(6000), 'z'.repeat(6000), 'last '.repeat(2000), 'none'].map(article),
  )
  expect(facts.articles.map(({ text }) => text.length)).toEqual([
    6001,
    6000,
    6000,
    24_000 - 18_001 - 3 * length + 1,
  ])
  expect(numbered).toHaveLength(4)
})

it.each([
  [600, 2],
  [599, 1],
])('a source is added when %i characters are left', (left, count) => {
  const emptyArticle = JSON.stringify({ number: 1, title: '', text: '' }).length
  const first = { ...article(''), title: 'x'.repeat(24_000 - emptyArticle - left) } as Candidate
  expect(toSources([first, article('')]).numbered).toHaveLength(count)
})

it('toCitations returns each known source once', () => {
  const sources = toSources([article('a'), flow({ steps: [createStep('a')] })])
  expect(toCitations([2, 1, 2, 0, 3, -1], sources)).toEqual([
    { kind: 'flow', id: 'f', title: 'F' },
    { kind: 'article', id: 'a', title: 'A' },
  ])
})
