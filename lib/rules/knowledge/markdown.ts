import MarkdownIt from 'markdown-it'
import { spend, spendBytes } from '#rules/budget.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { countPlaces } from '#rules/text/count-places.ts'
import { type Block, createBlockWriter } from './blocks.ts'
import { replaceCallOuts } from './call-outs.ts'
import { removeMarkup } from './derive-title.ts'
import { createLosses, type Losses } from './losses.ts'
import { type LineKind, replaceHtml } from './markdown-html.ts'
import { removeComments, resolveReferences } from './markdown-references.ts'

// A line of a table takes up to 5 µs, a cell 1 µs, a character up to 200 ns.
const stepsPerLine = 300
const stepsPerCell = 100
const stepsPerCharacter = 10
/** Steps and bytes of memory of a line before blocks are looked for: several passes split the text into lines. */
const [stepsPerSplit, bytesPerSplit] = [60, 100]

const kindByToken: Record<string, Block['kind']> = {
  heading_open: 'heading',
  paragraph_open: 'text',
  blockquote_open: 'text',
  fence: 'code',
  code_block: 'code',
  table_open: 'table',
  list_item_open: 'item',
}

// The parser only has to find where blocks start. Their texts are cut from the source. What is nested deeper
// than `maxNesting` tokens is not parsed: the time of a line grows with its depth.
const parser = new MarkdownIt({ html: false, maxNesting: 10 })
parser.core.ruler.disable(['inline', 'linkify', 'replacements', 'smartquotes', 'text_join'])
parser.block.ruler.disable('reference')

/**
 * Read the blocks of a markdown text. Each block is a part of the text, so that no word is lost; a heading
 * loses its marks. Front matter, comments and horizontal rules are left out.
 */
export function readMarkdown(
  text: string,
  losses: Losses = createLosses(),
): { title: string | null; blocks: Block[] } {
  const { title, body: source } = splitFrontMatter(text)
  const lineCount = countLines(source)
  spend(lineCount * stepsPerSplit + source.length * stepsPerCharacter)
  spendBytes(lineCount * bytesPerSplit)
  const marked = replaceCallOuts(removeComments(source), losses)
  const body = resolveReferences(replaceHtml(marked, findLineKinds(marked), losses), losses)
  const lines = body.split('\n')
  spendParsing(body, lines.length)
  const blockStarts = findBlockStarts(body)
  const writer = createBlockWriter()
  writer.add('text', toMarkdown(lines.slice(0, blockStarts[0]?.line ?? lines.length).join('\n')))
  for (const [index, { line, kind, level, headingText }] of blockStarts.entries()) {
    const part = lines.slice(line, blockStarts[index + 1]?.line ?? lines.length)
    if (kind === 'heading') writer.add(kind, removeMarkup(headingText), level)
    else if (kind) writer.add(kind, toMarkdown(part.join('\n').trimEnd()))
  }
  return { title, blocks: writer.blocks }
}

/** Count the work of the parser. A cell of a table is in memory as several objects. */
function spendParsing(markdown: string, lineCount: number): void {
  spend(
    lineCount * stepsPerLine +
      countPlaces(markdown, '|') * stepsPerCell +
      markdown.length * stepsPerCharacter,
  )
}

const countLines = (text: string) => countPlaces(text, '\n') + 1

/** Return which lines HTML may be in. Without a tag, they are not needed. */
function findLineKinds(markdown: string): LineKind[] {
  if (!/<[a-z]/i.test(markdown)) return []
  const lineCount = countLines(markdown)
  spendParsing(markdown, lineCount)
  const kinds = new Array<LineKind>(lineCount).fill('text')
  for (const { type, map } of parser.parse(markdown, {})) {
    if (!map) continue
    if (type === 'fence' || type === 'code_block') kinds.fill('code', map[0], map[1])
    if (type === 'table_open' || type === 'heading_open') kinds.fill('row', map[0], map[1])
  }
  return kinds
}

interface BlockStart {
  /** The index of the first line. */
  line: number
  /** Null for a horizontal rule, which has no text. */
  kind: Block['kind'] | null
  level: number
  /** Empty unless the block is a heading. */
  headingText: string
}

function findBlockStarts(markdown: string): BlockStart[] {
  const tokens = parser.parse(markdown, {})
  return tokens.flatMap((token, index): BlockStart[] => {
    if (token.type === 'hr' && token.level === 0)
      return [{ line: token.map?.[0] ?? 0, kind: null, level: 0, headingText: '' }]
    const kind = kindByToken[token.type]
    // Only items of an outermost list are blocks. An item is one level below its list.
    const blockLevel = kind === 'item' ? 1 : 0
    if (!kind || !token.map || token.level !== blockLevel) return []
    const headingLevel = Number(token.tag.slice(1)) || 0
    return [{ line: token.map[0], kind, level: headingLevel, headingText: tokens[index + 1]?.content ?? '' }]
  })
}

/** Split off front matter, which is not part of the article, and return its title. */
function splitFrontMatter(text: string): { title: string | null; body: string } {
  const match = /^(?:[ \t]{0,20}\n){0,20}---\n([\s\S]{0,10000}?)\n---(?:\n|$)/.exec(text)
  const frontMatter = match?.[1]
  if (!match || !frontMatter || !/^\w[\w-]*:/m.test(frontMatter)) return { title: null, body: text }
  const title =
    /^title:(.+)$/m
      .exec(frontMatter)?.[1]
      ?.trim()
      .replace(/^["']|["']$/g, '') || null
  return { title, body: text.slice(match[0].length) }
}
