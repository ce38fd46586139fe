import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createArticleNodes } from '#local/model/knowledge.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { type Block, maxArticleLength, maxBlocks, maxNodeLength } from '#rules/knowledge/blocks.ts'
import { deriveTitle, unescapeMarkdown } from '#rules/knowledge/derive-title.ts'
import { buildFlow } from '#rules/knowledge/flow.ts'
import { buildNodes, type KbNode, type NodeProposal } from '#rules/knowledge/nodes.ts'
import type { Segment } from '#rules/knowledge/segment.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'
import { readBlocksOf } from '#test/support/articles.ts'
import { createLiteralWriter } from '#test/support/knowledge.ts'
import { measureCpuTime } from '#test/support/measure.ts'
import { casesByDay } from '#test/support/night.ts'

let idCount = 0
function newId(): string {
  idCount++
  return `node-${idCount}`
}
const readBlocks = (format: 'markdown' | 'text' | 'html', content: string) => readBlocksOf(format, content)
const describeBlocks = (blocks: readonly Block[]) => blocks.map(({ kind, text }) => `${kind}: ${text}`)
/** Convert blocks to nodes, by default with the proposals of the local model. */
const convert = (blocks: readonly Block[], proposals?: readonly NodeProposal[]): KbNode[] => {
  const { segments } = splitIntoSegments(blocks)
  const facts = { pieces: segments.map(({ kind, text }, index) => ({ number: index + 1, kind, text })) }
  return buildNodes(segments, proposals ?? (createArticleNodes(facts).groups as NodeProposal[]), newId)
}
/** Return the texts of all nodes in reading order. */
const joinTexts = (nodes: readonly KbNode[]) =>
  nodes.map(({ kind, title, content }) => (kind === 'section' ? content || title : content)).join('')
/** Remove white space. Merging segments adds nothing else. */
const removeSpaces = (text: string) => text.replace(/\s+/g, '')

describe('readArticleText', () => {
  it('reads the title of details in markdown as bold text', () => {
    expect(
      describeBlocks(readBlocks('markdown', '<details>\n<summary>Why</summary>\n\nBecause.\n\n</details>\n')),
    ).toEqual(['text: **Why**', 'text: Because.'])
  })

  it('splits markdown into blocks without changing their text', () => {
    const text =
      '# A\n\nIntro\nmore:\n\n1. One\n   - deeper\n\n     ```sh\n     # no heading\n     ls\n     ```\n2. Two\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>x</b>\n\n    ls -la\n\n[ref]: https://x.example\n'
    expect(describeBlocks(readBlocks('markdown', text))).toEqual([
      'heading: A',
      'text: Intro\nmore:',
      'item: 1. One\n   - deeper\n\n     ```sh\n     # no heading\n     ls\n     ```',
      'item: 2. Two',
      'table: | a | b |\n|---|---|\n| 1 | 2 |',
      'text: x',
      'code:     ls -la',
      'text: [ref]: https://x.example',
    ])
  })

  it('splits an HTML page into blocks, without scripts and with the URLs of links', () => {
    const html = `<title>Spooler</title><script>alert(1)</script><h2>Fix <em>it</em></h2><p>Go to <a href="https://x.example/a">the page</a>, not
      <a href="javascript:alert(1)">here</a><br>now.<ol start=3><li>One<ul><li>deeper<pre>a\n  b</pre></ul><li>Two</ol>
      <table><tr><th>a<th>b<tr><td><p>1</p><p>2</p><td>3</table><table><tr><td><ol><li>In a frame</ol></table>tail`
    expect(describeBlocks(readBlocks('html', html))).toEqual([
      'heading: Fix it',
      'text: Go to the page (https://x.example/a), not here\nnow.',
      'item: 3. One\n    - deeper\n        ```\n        a\n          b\n        ```',
      'item: 4. Two',
      'table: | a | b |\n| --- | --- |\n| 1 2 | 3 |',
      'item: 1. In a frame',
      'text: tail',
    ])
  })

  it('splits plain text at empty, numbered, bulleted and underlined lines', () => {
    const text = 'Title\n=====\nIntro\ngoes on\n\n1. One\n   more\n\n   and more\n2) Two\n- x\nStep 3: y'
    expect(describeBlocks(readBlocks('text', text))).toEqual([
      'heading: Title',
      'text: Intro\ngoes on',
      'item: 1. One\n   more\n\n   and more',
      'item: 2) Two',
      'item: - x',
      'item: Step 3: y',
    ])
  })
})

const words = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '.', ':', '\n', 'é', '😀', '`'),
  minLength: 1,
  maxLength: 60,
})
const randomBlock = fc.record({
  kind: fc.constantFrom<Block['kind']>('heading', 'item', 'text', 'code', 'table'),
  level: fc.integer({ min: 1, max: 6 }),
  text: fc.oneof(
    { weight: 20, arbitrary: words },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 1000, max: maxNodeLength }).map((length) => 'x'.repeat(length)),
    },
  ),
})
const randomBlocks = fc
  .array(randomBlock, { minLength: 1, maxLength: 250, size: 'max' })
  .map((blocks) =>
    blocks
      .filter(({ text }) => text.trim())
      .map((block) => ({ ...block, level: block.kind === 'heading' ? block.level : 0 })),
  )
  .filter((blocks) => blocks.length > 0 && blocks.reduce((sum, { text }) => sum + text.length, 0) < 900_000)
const randomProposal = fc
  .record({
    first: fc.integer({ min: 1, max: 40 }),
    extraSegments: fc.integer({ min: -1, max: 4 }),
    kind: fc.constantFrom<NodeProposal['kind']>('step', 'note', 'decision', 'option', 'solution'),
    title: words,
  })
  .map(({ first, extraSegments, ...rest }): NodeProposal => ({ first, last: first + extraSegments, ...rest }))

describe('createBlockWriter', () => {
  it('refuses the 900,001st character and the 5,001st paragraph', () => {
    const long = createLiteralWriter()
    long.add('text', 'x'.repeat(maxArticleLength))
    expect(() => long.add('text', 'x')).toThrow('The article has more than 900,000 characters')
    const many = createLiteralWriter()
    for (let n = 0; n < maxBlocks; n++) many.add('text', 'x')
    expect(() => many.add('text', 'x')).toThrow('The article has more than 5,000 paragraphs')
  })

  it('splits a text into parts of at most 20,000 characters, at a line break or between characters', () => {
    const lengthsOf = (text: string) => {
      const { blocks, add } = createLiteralWriter()
      add('text', text)
      return blocks.map((block) => block.text.length)
    }
    expect(lengthsOf('x'.repeat(maxNodeLength))).toEqual([maxNodeLength])
    expect(lengthsOf('x'.repeat(maxNodeLength + 1))).toEqual([maxNodeLength, 1])
    expect(lengthsOf(`${'x'.repeat(maxNodeLength)}\ny`)).toEqual([maxNodeLength, 1])
    expect(lengthsOf(`\n${'x'.repeat(maxNodeLength)}`)).toEqual([maxNodeLength, 1])
    expect(lengthsOf(`${'x'.repeat(maxNodeLength - 1)}😀`)).toEqual([maxNodeLength - 1, 2])
  })

  it('adds lines to the item of a list until the item is full', () => {
    const { blocks, addListLine } = createLiteralWriter()
    addListLine(0, '-', 'x'.repeat(maxNodeLength - 13))
    addListLine(1, '-', 'abc')
    addListLine(0, null, 'd')
    expect(blocks.map(({ text }) => text.slice(-9))).toEqual(['    - abc', '    d'])
  })
})

describe('buildNodes', () => {
  it('KBI-01 returns at most 100 nodes that contain every block completely and in order, for random proposals', () => {
    const property = fc.property(
      randomBlocks,
      fc.array(randomProposal, { maxLength: 100 }),
      (blocks, proposals) => {
        const nodes = convert(blocks, proposals)
        expect(nodes.length).toBeLessThanOrEqual(100)
        const articleText = removeSpaces(blocks.map(({ text }) => text).join(''))
        // Converting a heading to text adds only # characters and escapes, because a heading is plain text.
        expect(removeSpaces(unescapeMarkdown(joinTexts(nodes))).replaceAll('#', '') === articleText).toBe(
          true,
        )
        expect(
          nodes.every(
            ({ content, title }) => content.length <= maxNodeLength && title.length <= 300 && title.trim(),
          ),
        ).toBe(true)
        const firstSection = nodes.findIndex(({ kind }) => kind === 'section')
        for (const { kind, parent_id, position } of nodes) {
          expect(parent_id === null || nodes.findIndex(({ id }) => id === parent_id) < position).toBe(true)
          expect(
            parent_id !== null || kind === 'section' || firstSection < 0 || position < firstSection,
          ).toBe(true)
        }
      },
    )
    fc.assert(property, { numRuns: casesByDay(100), interruptAfterTimeLimit: 20_000 })
  })

  it.each(['x', '*'])(
    'KBI-01 keeps a heading of 20,000 “%s” among too many headings, in a node that is not too long',
    (character) => {
      const headings = Array.from(
        { length: 150 },
        (_, n): Block => ({
          kind: 'heading',
          level: 1,
          text: n === 70 ? character.repeat(maxNodeLength) : 'a',
        }),
      )
      const nodes = convert(headings, [])
      expect(nodes.filter(({ content }) => content.length > maxNodeLength)).toEqual([])
      expect(joinTexts(nodes)).toContain(character.repeat(maxNodeLength))
    },
  )

  it('ignores a proposal that overlaps, crosses a heading, names no segment or is too long', () => {
    const createSegment = (text: string, fields: Partial<Segment> = {}): Segment => ({
      kind: 'note',
      level: 0,
      text,
      partCount: 1,
      ...fields,
    })
    const proposal = (first: number, last: number, title = ' T\n1 '): NodeProposal => ({
      first,
      last,
      kind: 'note',
      title,
    })
    const listNodes = (segments: Segment[], ...proposals: NodeProposal[]) =>
      buildNodes(segments, proposals, () => 'id').map(
        ({ kind, title, content }) => `${kind} ${title} ${content.length}`,
      )
    const segments = [
      createSegment('A'),
      createSegment('B', { startsUnit: true }),
      createSegment('C'),
      createSegment('D', { startsUnit: true }),
    ]
    const ungrouped = listNodes(segments)
    expect(listNodes(segments, proposal(2, 3))).toEqual([ungrouped[0], 'note T 1 4', ungrouped[3]])
    expect(listNodes(segments, proposal(2, 3), proposal(3, 3))).toEqual([
      ungrouped[0],
      'note T 1 4',
      ungrouped[3],
    ])
    expect(listNodes(segments, proposal(2, 3), proposal(4, 4, ' '))).toEqual([
      ungrouped[0],
      'note T 1 4',
      'note D 1',
    ])
    for (const invalid of [proposal(1, 2), proposal(3, 4), proposal(4, 5), proposal(5, 5), proposal(3, 2)])
      expect([invalid, listNodes(segments, invalid)]).toEqual([invalid, ungrouped])
    const createLong = (length: number) => [createSegment('a'.repeat(length)), createSegment('b')]
    expect(listNodes(createLong(maxNodeLength - 3), proposal(1, 2))).toEqual([`note T 1 ${maxNodeLength}`])
    expect(listNodes(createLong(maxNodeLength - 2), proposal(1, 2))).toHaveLength(2)
  })

  it('makes the heading of a section its title, up to 300 characters', () => {
    const build = (text: string) =>
      buildNodes([{ kind: 'section', level: 1, text, partCount: 1 }], [], () => 'id')
    expect(build('x'.repeat(300))).toMatchObject([{ title: 'x'.repeat(300), content: '' }])
    expect(build('x'.repeat(301))).toMatchObject([{ content: 'x'.repeat(301) }])
  })

  it('returns 100 nodes for 5,000 paragraphs, and for 3,000 headings', { retry: 2 }, () => {
    const createBlock = (kind: Block['kind'], level: number) => (_: unknown, n: number) => ({
      kind,
      level,
      text: `Text ${n}`,
    })
    for (const blocks of [
      Array.from({ length: 5000 }, createBlock('text', 0)),
      Array.from({ length: 3000 }, createBlock('heading', 2)),
    ]) {
      const { result: nodes, ms } = measureCpuTime(() => convert(blocks))
      expect(nodes).toHaveLength(100)
      expect(ms).toBeLessThan(1500)
    }
  })

  it('builds a decision from a question and its options', () => {
    const nodes = convert(
      readBlocks(
        'markdown',
        '# A\n\nWhich light is on?\n\n- If red, replace it.\n- If green, wait.\n\nThat is all.',
      ),
    )
    expect(nodes.map(({ kind }) => kind)).toEqual(['section', 'decision', 'step', 'step', 'solution'])
    expect(nodes.map(({ parent_id }) => nodes.findIndex(({ id }) => id === parent_id))).toEqual([
      -1, 0, 1, 1, 0,
    ])
    const flow = buildFlow(nodes, 'troubleshooting')
    expect(
      validateFlow({ tree_type: 'troubleshooting', tree_structure: flow, intake_form: [] }, 'published')
        .errors,
    ).toEqual([])
    expect(JSON.stringify(flow).match(/"label":"[^"]*"/g)).toEqual([
      '"label":"If red, replace it."',
      '"label":"If green, wait."',
      '"label":"Go on"',
    ])
  })

  it('puts nodes below their headings, even if heading levels are skipped', () => {
    const nodes = convert(readBlocks('markdown', '# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\n# D\n\nd'))
    expect(nodes.map(({ title }) => title)).toEqual(['A', 'a', 'B', 'b', 'C', 'c', 'D', 'd'])
    expect(nodes.map(({ parent_id }) => nodes.findIndex(({ id }) => id === parent_id))).toEqual([
      -1, 0, 0, 2, 0, 4, -1, 6,
    ])
  })
})

describe('deriveTitle', () => {
  it('returns the first sentence without markup', () => {
    expect(deriveTitle('1. **Open** the [console](https://x.example). Then wait.')).toBe('Open the console.')
    expect(deriveTitle('```sh\nsystemctl restart cups\n```')).toBe('systemctl restart cups')
    expect(deriveTitle(`${'word '.repeat(60)}`).length).toBeLessThanOrEqual(120)
    expect(deriveTitle('***')).toBe('Untitled')
    expect(deriveTitle('*Authentication* _methods_ of *.log and 2*3*4 a_b_c')).toBe(
      'Authentication methods of *.log and 2*3*4 a_b_c',
    )
    expect(deriveTitle('![](https://x.example/img/lamp.png?v=2)')).toBe('lamp.png')
    expect(deriveTitle('See [the log](https://x.example/a_(b)#c) first.')).toBe('See the log first.')
    expect(deriveTitle('```promql\n(\nsum(a)\n)\n```')).toBe('sum(a)')
  })

  it('joins the lines of a wrapped sentence', () => {
    const wrapped =
      'To run the commands of the tool, we need to log in to a\ncontainer of any pod. Then wait.'
    expect(deriveTitle(wrapped)).toBe(
      'To run the commands of the tool, we need to log in to a container of any pod.',
    )
    expect(deriveTitle('Open the console\nas admin')).toBe('Open the console')
  })

  it.each([
    ['x'.repeat(120), 'x'.repeat(120)],
    ['x'.repeat(121), `${'x'.repeat(119)}…`],
    [`${'x'.repeat(110)} ${'y'.repeat(20)}`, `${'x'.repeat(110)}…`],
    [`${'x'.repeat(118)}😀y`, `${'x'.repeat(118)}…`],
    ['Is it? No it is not.', 'Is it? No it is not.'],
    ['Is it on? No.', 'Is it on?'],
    ['- [x] Look', 'Look'],
    ['| a | | b |', 'a, b'],
    ['![](https://x.example)\n[A][1] `b`', 'A b'],
    [`${'x'.repeat(54)}\ny`, 'x'.repeat(54)],
    [`${'x'.repeat(55)}\ny`, `${'x'.repeat(55)} y`],
    [`${'x'.repeat(55)}\n- y`, 'x'.repeat(55)],
  ])('returns of %j the title %j', (text, title) => {
    expect(deriveTitle(text)).toBe(title)
  })
})

describe('splitIntoSegments', () => {
  const step = (text: string): Block => ({ kind: 'item', level: 0, text })
  const note = (text: string): Block => ({ kind: 'text', level: 0, text })
  const listKinds = (blocks: readonly Block[]) => splitIntoSegments(blocks).segments.map(({ kind }) => kind)

  it.each<[Block[], string[]]>([
    [
      [note('Is it on?'), step('- If yes, go.'), step('- If no, stop.')],
      ['decision', 'option', 'option'],
    ],
    [
      [note('Then:'), step('- Yes: go.'), step('- No')],
      ['decision', 'option', 'option'],
    ],
    [
      [note('Is it on?'), step('- If yes, go.')],
      ['note', 'step'],
    ],
    [
      [note('It is on.'), step('- If yes, go.'), step('- If no, stop.')],
      ['note', 'step', 'step'],
    ],
    [
      [step('1. Look:'), step('- If yes, go.'), step('- If no, stop.')],
      ['step', 'step', 'step'],
    ],
    [
      [step('1. Is it on?'), step('- If yes, go.'), step('- If no, stop.')],
      ['decision', 'option', 'option'],
    ],
    [[step('1. Is it on?\n   - If yes, go.\n   - If no, stop.')], ['decision', 'option', 'option']],
    [[step('1. Is it on?\n   - If yes, go.')], ['step']],
    [[step('1. Is it on?\n   - If yes, go.\n   - Stop.')], ['step']],
    [[step('1. It is on.\n   - If yes, go.\n   - If no, stop.')], ['step']],
    [[step('1. Is it on?\n   - If yes, go.\n   - If no, stop.\n  Then wait.')], ['step']],
  ])('makes of %j the segments %j', (blocks, kinds) => {
    expect(listKinds(blocks)).toEqual(kinds)
  })
})
