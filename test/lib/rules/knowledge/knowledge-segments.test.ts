import { describe, expect, it } from 'vitest'
import { type Block, maxNodeLength } from '#rules/knowledge/blocks.ts'
import { markDecisions } from '#rules/knowledge/decisions.ts'
import { describeMerges, findShortestPairs, foldUnits, mergePairs } from '#rules/knowledge/merge-segments.ts'
import { buildNodes, type NodeProposal } from '#rules/knowledge/nodes.ts'
import type { Segment } from '#rules/knowledge/segment.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'

const segment = (kind: Segment['kind'], text: string, fields: Partial<Segment> = {}): Segment => ({
  kind,
  level: 0,
  text,
  partCount: 1,
  ...fields,
})
const block = (kind: Block['kind'], text: string, level = 0): Block => ({ kind, level, text })
const describeSegments = (segments: readonly Segment[]) =>
  segments.map(({ kind, text }) => `${kind}: ${text}`)

describe('splitIntoSegments', () => {
  it.each<[string, Block[], string[]]>([
    ['joins code to the text before it', [block('text', 'a'), block('code', 'b')], ['step: a\n\nb']],
    [
      'joins a table to the item before it',
      [block('item', '- a'), block('table', '| b |')],
      ['step: - a\n\n| b |'],
    ],
    [
      'joins a table to a table, but no code',
      [block('table', '| a |'), block('table', '| b |'), block('code', 'c')],
      ['note: | a |\n\n| b |', 'step: c'],
    ],
    ['starts with code or a table', [block('code', 'a')], ['step: a']],
    [
      'joins nothing to a section',
      [block('heading', 'A', 1), block('code', 'b'), block('text', 'c')],
      ['section: A', 'step: b', 'note: c'],
    ],
    [
      'joins text to the label of a note',
      [block('text', '**Note:**'), block('text', 'a'), block('text', 'b')],
      ['note: **Note:**\n\na', 'note: b'],
    ],
    [
      'joins an item to the label of a note',
      [block('text', 'Warning'), block('item', '- a')],
      ['step: Warning\n\n- a'],
    ],
    [
      'does not take an item for a label',
      [block('item', '- Note'), block('text', 'a')],
      ['step: - Note', 'note: a'],
    ],
    [
      'takes a list of links for notes',
      [block('item', '- [a](https://b)'), block('item', '* https://a'), block('item', '1. https://a')],
      ['note: - [a](https://b)', 'note: * https://a', 'step: 1. https://a'],
    ],
    [
      'takes bullets of facts for notes',
      [
        block('heading', 'Symptoms', 2),
        block('item', '- a'),
        block('item', '1. b'),
        block('heading', 'Fix', 2),
        block('item', '- c'),
      ],
      ['section: Symptoms', 'note: - a', 'step: 1. b', 'section: Fix', 'step: - c'],
    ],
  ])('%s', (_, blocks, expected) => {
    const { segments, warnings } = splitIntoSegments(blocks)
    expect([describeSegments(segments), warnings]).toEqual([expected, []])
  })

  it('joins code as far as it fits into a node', () => {
    const count = (length: number) =>
      splitIntoSegments([block('text', 'a'.repeat(length)), block('code', 'b')]).segments.length
    expect([count(maxNodeLength - 3), count(maxNodeLength - 2)]).toEqual([1, 2])
  })

  it('keeps 100 segments, and merges the shortest neighbours of more', () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        block('item', `- ${'x'.repeat(n === 50 || n === 51 ? 1 : 5)} ${n}`),
      )
    expect(splitIntoSegments(items(100))).toMatchObject({ warnings: [] })
    const { segments, warnings } = splitIntoSegments(items(101))
    expect([segments.length, segments[50]?.text, warnings]).toEqual([
      100,
      '- x 50\n\n- x 51',
      ['“x 50”: its 2 parts are one node, because an article has at most 100 nodes.'],
    ])
  })

  it('refuses an article whose parts do not fit into 100 nodes', () => {
    const blocks = Array.from({ length: 101 }, () => block('text', 'x'.repeat(maxNodeLength)))
    expect(() => splitIntoSegments(blocks)).toThrow('The article does not fit into 100 nodes')
  })
})

describe('markDecisions', () => {
  it.each<[string, Segment[], string[]]>([
    ['needs two options', [segment('note', 'a?'), segment('step', '- If b')], ['note: a?', 'step: - If b']],
    [
      'ends its options at another item',
      [
        segment('note', 'a?'),
        segment('step', '- If b'),
        segment('step', '- Otherwise c'),
        segment('step', '- d'),
      ],
      ['decision: a?', 'option: - If b', 'option: - Otherwise c', 'step: - d'],
    ],
    [
      'is no section',
      [segment('section', 'a?'), segment('step', '- If b'), segment('step', '- If c')],
      ['section: a?', 'step: - If b', 'step: - If c'],
    ],
    [
      'may follow another decision',
      [
        segment('note', 'a?'),
        segment('step', '- If b'),
        segment('step', '- If c'),
        segment('note', 'd:'),
        segment('step', '1. Yes, e'),
        segment('step', '2) No'),
      ],
      [
        'decision: a?',
        'option: - If b',
        'option: - If c',
        'decision: d:',
        'option: 1. Yes, e',
        'option: 2) No',
      ],
    ],
    [
      'has no options that start a unit',
      [segment('note', 'a?'), segment('step', '- If b'), segment('step', '- If c', { startsUnit: true })],
      ['note: a?', 'step: - If b', 'step: - If c'],
    ],
    [
      'has options whose first line is a condition',
      [segment('note', 'a?'), segment('step', '- If b\n- d'), segment('step', '- c\n- If d')],
      ['note: a?', 'step: - If b\n- d', 'step: - c\n- If d'],
    ],
    [
      'may be nested in an item',
      [segment('step', '- **a?**\n  - If b,\n\n    c\n  - If d')],
      ['decision: - **a?**', 'option: - If b,\n\n  c', 'option: - If d'],
    ],
    [
      'may have nested options below several lines',
      [segment('step', '- a\n  b:\n  - If c\n  - If d')],
      ['decision: - a\n  b:', 'option: - If c', 'option: - If d'],
    ],
    [
      'is not nested in a note',
      [segment('note', '- a?\n  - If b\n  - If c')],
      ['note: - a?\n  - If b\n  - If c'],
    ],
    [
      'has options that are indented',
      [segment('step', '- a?\n- If b\n- If c')],
      ['step: - a?\n- If b\n- If c'],
    ],
    [
      'has only conditions as nested options',
      [segment('step', '- a?\n  - If b\n  - c')],
      ['step: - a?\n  - If b\n  - c'],
    ],
    [
      'has nothing after its nested options',
      [segment('step', '- a?\n  - If b\n  - If c\n  d')],
      ['step: - a?\n  - If b\n  - If c\n  d'],
    ],
    ['has two nested options', [segment('step', '- a?\n  - If b')], ['step: - a?\n  - If b']],
  ])('finds a decision that %s', (_, segments, expected) => {
    const before = structuredClone(segments)
    expect(describeSegments(markDecisions(segments))).toEqual(expected)
    expect(segments).toEqual(before)
  })
})

describe('foldUnits', () => {
  const unit = (kind: Segment['kind'], text: string, startsUnit = false) =>
    segment(kind, text, { isInUnit: true, startsUnit })

  it('merges the segments of each unit, except for decisions', () => {
    const segments = [
      segment('note', 'a'),
      unit('note', 'b', true),
      unit('step', 'c'),
      unit('note', 'd', true),
      unit('decision', 'e'),
      unit('option', 'f'),
      unit('note', 'g'),
      unit('note', 'h'),
    ]
    expect(describeSegments(foldUnits(segments))).toEqual([
      'note: a',
      'step: b\n\nc',
      'note: d',
      'decision: e',
      'option: f',
      'note: g\n\nh',
    ])
  })

  it('merges what fits into a node', () => {
    const count = (length: number) =>
      foldUnits([unit('note', 'a'.repeat(length), true), unit('note', 'b')]).length
    expect([count(maxNodeLength - 3), count(maxNodeLength - 2)]).toEqual([1, 2])
  })

  it('merges nothing outside of units', () => {
    expect(foldUnits([segment('note', 'a'), unit('note', 'b')])).toHaveLength(2)
    expect(foldUnits([unit('note', 'a'), segment('note', 'b')])).toHaveLength(2)
  })
})

describe('findShortestPairs', () => {
  const texts = (...lengths: number[]) => lengths.map((length) => segment('note', 'x'.repeat(length)))
  const find = (
    segments: Segment[],
    maxPairs: number,
    scope: Parameters<typeof findShortestPairs>[2] = 'parts',
  ) => [...findShortestPairs(segments, maxPairs, scope)]

  it.each<[number[], number, number[]]>([
    [[5, 1, 2, 9], 1, [1]],
    [[5, 1, 2, 9], 2, [1]],
    [[1, 1, 5, 2, 2], 2, [0, 3]],
    [[1, 1, 1], 3, [0]],
    [[1], 1, []],
    [[1, 1, 1, 1], 1, [0]],
    [[maxNodeLength - 3, 1], 1, [0]],
    [[maxNodeLength - 2, 1], 1, []],
  ])('of texts of the lengths %j are at most %i: %j', (lengths, maxPairs, expected) => {
    expect(find(texts(...lengths), maxPairs)).toEqual(expected)
  })

  it('do not cross sections', () => {
    expect(
      find([segment('section', 'a'), segment('note', 'b'), segment('section', 'c')], 3, 'decisions'),
    ).toEqual([])
  })

  it('include units and decisions only in their scopes, and sections of the lowest level before others', () => {
    const unit = (level: number) => segment('note', 'a', { startsUnit: true, level })
    const units = [segment('note', 'a'), unit(2), segment('note', 'long text'), unit(3)]
    expect([find([unit(2), unit(3)], 1), find([unit(2), unit(3)], 1, 'sections')]).toEqual([[], [0]])
    expect([find(units, 9), find(units, 9, 'sections')]).toEqual([[1], [1]])
    expect(find([unit(2), unit(2), unit(3)], 9, 'sections')).toEqual([1])
    const decision = [segment('decision', 'a?'), segment('option', 'b')]
    expect([find(decision, 1, 'sections'), find(decision, 1, 'decisions')]).toEqual([[], [0]])
    expect(find([segment('note', 'a'), segment('decision', 'b?')], 1, 'sections')).toEqual([])
  })
})

describe('mergePairs', () => {
  it('counts the parts, and remembers headings and questions', () => {
    const segments = [
      segment('note', 'a'),
      segment('note', 'b', { partCount: 2 }),
      segment('decision', 'c?\nd', { mergedHeadings: ['h'] }),
      segment('note', '# e\nf', { startsUnit: true, mergedQuestions: ['q?'], mergedHeadings: ['i'] }),
      segment('step', 'g'),
    ]
    expect(mergePairs(segments, new Set([0, 2]))).toEqual([
      segment('note', 'a\n\nb', { partCount: 3 }),
      segment('decision', 'c?\nd\n\n# e\nf', {
        kind: 'step',
        partCount: 2,
        mergedHeadings: ['h', '# e', 'i'],
        mergedQuestions: ['c?', 'q?'],
      }),
      segment('step', 'g'),
    ])
  })
})

describe('describeMerges', () => {
  const reason = 'because an article has at most 100 nodes.'
  it.each<[Partial<Segment>, string[]]>([
    [{ partCount: 1 }, []],
    [{ partCount: 2 }, [`“A”: its 2 parts are one node, ${reason}`]],
    [{ partCount: 2, mergedHeadings: ['# B'] }, [`“A” and “B” are one node, ${reason}`]],
    [{ partCount: 2, mergedHeadings: ['B', 'C'] }, [`“A”, “B” and “C” are one node, ${reason}`]],
    [
      { partCount: 2, mergedHeadings: ['B', 'C', 'D', 'E'] },
      [`“A”, “B”, “C” and 2 more are one node, ${reason}`],
    ],
    [
      { partCount: 3, mergedQuestions: ['Q?'] },
      [`“A”: its 3 parts are one node, ${reason} It is no decision any more: “Q?”.`],
    ],
  ])('describes %j as %j', (fields, expected) => {
    expect(describeMerges([segment('note', 'A\nb', fields)])).toEqual(expected)
  })
})

describe('buildNodes', () => {
  const build = (segments: Segment[], proposals: NodeProposal[] = []) => {
    let count = 0
    const nodes = buildNodes(segments, proposals, () => `${count++}`)
    return nodes.map(({ id, parent_id, position, kind, title }) => [id, parent_id, position, kind, title])
  }

  it('turns decisions with fewer than two options, and options without a decision, into steps', () => {
    const segments = [
      'decision',
      'option',
      'note',
      'option',
      'decision',
      'option',
      'option',
      'option',
      'note',
      'option',
    ] as const
    expect(
      build(segments.map((kind) => segment(kind, kind))).map(([, parent, , kind]) => [parent, kind]),
    ).toEqual([
      ...[
        [null, 'step'],
        [null, 'step'],
        [null, 'note'],
        [null, 'step'],
      ],
      ...[
        [null, 'decision'],
        ['4', 'step'],
        ['4', 'step'],
        ['4', 'step'],
        [null, 'note'],
        [null, 'step'],
      ],
    ])
  })

  it('puts sections of the same level beside each other', () => {
    const levels = [1, 2, 2, 3, 1]
    expect(
      build(levels.map((level) => segment('section', 'S', { level }))).map(([, parent]) => parent),
    ).toEqual([null, '0', '0', '2', null])
  })

  it('shortens a proposed title to 300 characters, and replaces an empty one', () => {
    const proposal = (title: string): NodeProposal => ({ first: 1, last: 1, kind: 'solution', title })
    expect(build([segment('note', 'a')], [proposal('x'.repeat(301))])).toEqual([
      ['0', null, 0, 'solution', 'x'.repeat(300)],
    ])
    expect(build([segment('note', 'a b')], [proposal(' \n ')])).toEqual([['0', null, 0, 'solution', 'a b']])
  })
})
