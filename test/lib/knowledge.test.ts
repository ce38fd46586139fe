import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { validateFlow } from '../../lib/flows/validate.ts'
import { readGiven } from '../../lib/knowledge/article.ts'
import { type Block, nodeCharacters } from '../../lib/knowledge/blocks.ts'
import { flowOf } from '../../lib/knowledge/flow.ts'
import { type KbNode, nodesOf, type Proposal } from '../../lib/knowledge/nodes.ts'
import { piecesOf } from '../../lib/knowledge/pieces.ts'
import { titleOf } from '../../lib/knowledge/titles.ts'
import { articleNodes } from '../../lib/local/model/knowledge.ts'
import { measured } from '../support/measures.ts'

let ids = 0
const newId = () => `node-${++ids}`
const blocksOf = (format: 'markdown' | 'text' | 'html', content: string) => readGiven(format, 'Article', content).blocks
const shapes = (blocks: readonly Block[]) => blocks.map(({ kind, text }) => `${kind}: ${text}`)
const convert = (blocks: readonly Block[], proposals?: readonly Proposal[]): KbNode[] => {
  const pieces = piecesOf(blocks)
  const asked = { pieces: pieces.map(({ kind, text }, index) => ({ number: index + 1, kind, text })) }
  return nodesOf(pieces, proposals ?? (articleNodes(asked).groups as Proposal[]), newId)
}
/** All that nodes say, in reading order, without blanks: merging only adds those. */
const said = (nodes: readonly KbNode[]) =>
  nodes.map(({ kind, title, content }) => (kind === 'section' ? content || title : content)).join('')
const dense = (text: string) => text.replace(/\s+/g, '')

describe('blocks', () => {
  it('are those of markdown as they stand there', () => {
    const text =
      '# A\n\nIntro\nmore:\n\n1. One\n   - deeper\n\n     ```sh\n     # no heading\n     ls\n     ```\n2. Two\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>x</b>\n\n    ls -la\n\n[ref]: https://x.example\n'
    expect(shapes(blocksOf('markdown', text))).toEqual([
      'heading: A',
      'text: Intro\nmore:',
      'item: 1. One\n   - deeper\n\n     ```sh\n     # no heading\n     ls\n     ```',
      'item: 2. Two',
      'table: | a | b |\n|---|---|\n| 1 | 2 |',
      'text: <b>x</b>',
      'code:     ls -la',
      'text: [ref]: https://x.example',
    ])
  })

  it('are those of a page, without its scripts, with the addresses of links', () => {
    const html = `<title>Spooler</title><script>alert(1)</script><h2>Fix <em>it</em></h2><p>Go to <a href="https://x.example/a">the page</a>, not
      <a href="javascript:alert(1)">here</a><br>now.<ol start=3><li>One<ul><li>deeper<pre>a\n  b</pre></ul><li>Two</ol>
      <table><tr><th>a<th>b<tr><td><p>1</p><p>2</p><td>3</table><table><tr><td><ol><li>In a frame</ol></table>tail`
    expect(shapes(blocksOf('html', html))).toEqual([
      'heading: Fix it',
      'text: Go to the page (https://x.example/a), not here\nnow.',
      'item: 3. One\n  - deeper\n    ```\n    a\n      b\n    ```',
      'item: 4. Two',
      'table: a | b\n1 2 | 3',
      'item: 1. In a frame',
      'text: tail',
    ])
  })

  it('are those of a text by its empty, numbered, bulleted and underlined lines', () => {
    const text = 'Title\n=====\nIntro\ngoes on\n\n1. One\n   more\n\n   and more\n2) Two\n- x\nStep 3: y'
    expect(shapes(blocksOf('text', text))).toEqual([
      'heading: Title',
      'text: Intro\ngoes on',
      'item: 1. One\n   more\n\n   and more',
      'item: 2) Two',
      'item: - x',
      'item: Step 3: y',
    ])
  })
})

const words = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', ':', '\n', 'é', '😀', '`'), minLength: 1, maxLength: 60 })
const anyBlock = fc.record({
  kind: fc.constantFrom<Block['kind']>('heading', 'item', 'text', 'code', 'table'),
  level: fc.integer({ min: 1, max: 6 }),
  text: fc.oneof(
    { weight: 20, arbitrary: words },
    { weight: 1, arbitrary: fc.integer({ min: 1000, max: nodeCharacters }).map((length) => 'x'.repeat(length)) },
  ),
})
const anyBlocks = fc
  .array(anyBlock, { minLength: 1, maxLength: 250, size: 'max' })
  .map((blocks) =>
    blocks.filter(({ text }) => text.trim()).map((block) => ({ ...block, level: block.kind === 'heading' ? block.level : 0 })),
  )
  .filter((blocks) => blocks.length > 0 && blocks.reduce((sum, { text }) => sum + text.length, 0) < 900_000)
const anyProposal = fc
  .record({
    first: fc.integer({ min: 1, max: 40 }),
    more: fc.integer({ min: -1, max: 4 }),
    kind: fc.constantFrom<Proposal['kind']>('step', 'note', 'decision', 'option', 'solution'),
    title: words,
  })
  .map(({ first, more, ...rest }): Proposal => ({ first, last: first + more, ...rest }))

describe('nodes', () => {
  it('KBI-01 are at most 100 and hold every block whole and in its order, whatever is proposed of them', () => {
    const property = fc.property(anyBlocks, fc.array(anyProposal, { maxLength: 100 }), (blocks, proposals) => {
      const nodes = convert(blocks, proposals)
      expect(nodes.length).toBeLessThanOrEqual(100)
      const bare = dense(blocks.map(({ text }) => text).join(''))
      // A heading that became text keeps its mark, and only that.
      expect(dense(said(nodes)).replaceAll('#', '') === bare).toBe(true)
      expect(nodes.every(({ content, title }) => content.length <= nodeCharacters && title.length <= 300 && title.trim())).toBe(true)
      const below = nodes.findIndex(({ kind }) => kind === 'section')
      for (const { kind, parent_id, position } of nodes) {
        expect(parent_id === null || nodes.findIndex(({ id }) => id === parent_id) < position).toBe(true)
        expect(parent_id !== null || kind === 'section' || below < 0 || position < below).toBe(true)
      }
    })
    fc.assert(property, { numRuns: 100, interruptAfterTimeLimit: 20_000 })
  })

  it('are few even of 5,000 paragraphs, and of 3,000 headings', () => {
    const block = (kind: Block['kind'], level: number) => (_: unknown, n: number) => ({ kind, level, text: `Text ${n}` })
    for (const blocks of [Array.from({ length: 5000 }, block('text', 0)), Array.from({ length: 3000 }, block('heading', 2))]) {
      const { result: nodes, ms } = measured(() => convert(blocks))
      expect(nodes).toHaveLength(100)
      expect(ms).toBeLessThan(1500)
    }
  })

  it('are a question with its answers where the article has one', () => {
    const nodes = convert(blocksOf('markdown', '# A\n\nWhich light is on?\n\n- If red, replace it.\n- If green, wait.\n\nThat is all.'))
    expect(nodes.map(({ kind }) => kind)).toEqual(['section', 'decision', 'step', 'step', 'solution'])
    expect(nodes.map(({ parent_id }) => nodes.findIndex(({ id }) => id === parent_id))).toEqual([-1, 0, 1, 1, 0])
    const flow = flowOf(nodes, 'troubleshooting')
    expect(validateFlow({ tree_type: 'troubleshooting', tree_structure: flow, intake_form: [] }, 'published').errors).toEqual([])
    expect(JSON.stringify(flow).match(/"label":"[^"]*"/g)).toEqual([
      '"label":"If red, replace it."',
      '"label":"If green, wait."',
      '"label":"Go on"',
    ])
  })

  it('stand below their headings, however the levels jump', () => {
    const nodes = convert(blocksOf('markdown', '# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\n# D\n\nd'))
    expect(nodes.map(({ title }) => title)).toEqual(['A', 'a', 'B', 'b', 'C', 'c', 'D', 'd'])
    expect(nodes.map(({ parent_id }) => nodes.findIndex(({ id }) => id === parent_id))).toEqual([-1, 0, 0, 2, 0, 4, -1, 6])
  })

  it('are called by their own first sentence', () => {
    expect(titleOf('1. **Open** the [console](https://x.example). Then wait.')).toBe('Open the console.')
    expect(titleOf('```sh\nsystemctl restart cups\n```')).toBe('systemctl restart cups')
    expect(titleOf(`${'word '.repeat(60)}`).length).toBeLessThanOrEqual(120)
    expect(titleOf('***')).toBe('Untitled')
  })
})

const folder = '/work/shared/material/kb'
const articles = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
const markdown = new MarkdownIt({ html: true })

/** What the article says step by step, as another reading of it finds it: every inline text and every block of code. */
function textsOf(article: string): string[] {
  const body = article.replace(/^---\n[\s\S]*?\n---\n/, '')
  return markdown
    .parse(body, {})
    .flatMap(({ type, content }) => (/^(?:inline|fence|code_block|html_block)$/.test(type) ? [dense(content)] : []))
}

describe.skipIf(articles.length === 0)('articles that nobody here wrote (skipped where the folder is not there)', () => {
  it.each(articles)('%s loses no step on its way to a flow', (name) => {
    const article = readFileSync(join(folder, name), 'utf8')
    const nodes = convert(blocksOf('markdown', article))
    expect(nodes.length).toBeLessThanOrEqual(100)
    for (const type of ['procedural', 'troubleshooting'] as const) {
      const flow = flowOf(nodes, type)
      expect(validateFlow({ tree_type: type, tree_structure: flow, intake_form: [] }, 'published').errors).toEqual([])
      // What is quoted or nested carries its marks along.
      const plain = (text: string) => dense(text).replace(/[>\\]/g, '')
      const kept = plain(
        type === 'procedural'
          ? said(nodes)
          : [...JSON.stringify(flow).matchAll(/"(?:title|description)":("(?:[^"\\]|\\.)*")/g)]
              .map(([, text]) => JSON.parse(text ?? '""'))
              .join(''),
      )
      let at = 0
      for (const text of textsOf(article).map(plain)) {
        const found = kept.indexOf(text, at)
        expect(found, `${text.slice(0, 80)} after ${at}`).toBeGreaterThanOrEqual(0)
        at = found + (type === 'procedural' ? text.length : 0)
      }
    }
  })
})
