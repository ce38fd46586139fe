import MarkdownIt from 'markdown-it'
import { type Block, createWriter } from './blocks.ts'

const kinds: Record<string, Block['kind']> = {
  heading_open: 'heading',
  paragraph_open: 'text',
  blockquote_open: 'text',
  fence: 'code',
  code_block: 'code',
  table_open: 'table',
  list_item_open: 'item',
}

// Only where blocks begin is asked of it: the texts are cut from the source, and link definitions stay where they stand.
const parser = new MarkdownIt({ html: false })
parser.core.ruler.disable(['inline', 'linkify', 'replacements', 'smartquotes', 'text_join'])
parser.block.ruler.disable('reference')

/** The blocks of a markdown text, each as it stands there, so that none of its words can be lost. */
export function readMarkdown(text: string): { title: string | null; blocks: Block[] } {
  const { title, body } = withoutFrontMatter(text)
  const lines = body.split('\n')
  const tokens = parser.parse(body, {})
  const begins = tokens.flatMap((token, index): Beginning[] => {
    const kind = kinds[token.type]
    if (token.type === 'hr' && token.level === 0) return [{ at: token.map?.[0] ?? 0, kind: null, level: 0, words: '' }]
    if (!kind || !token.map || token.level !== (kind === 'item' ? 1 : 0)) return []
    return [{ at: token.map[0], kind, level: Number(token.tag.slice(1)) || 0, words: tokens[index + 1]?.content ?? '' }]
  })
  const writer = createWriter()
  writer.add('text', lines.slice(0, begins[0]?.at ?? lines.length).join('\n'))
  for (const [index, { at, kind, level, words }] of begins.entries()) {
    const source = lines.slice(at, begins[index + 1]?.at ?? lines.length)
    if (kind === 'heading') writer.add(kind, words, level)
    else if (kind) writer.add(kind, source.join('\n').trimEnd())
  }
  return { title, blocks: writer.blocks }
}

interface Beginning {
  /** Its first line. */
  at: number
  /** Null for a rule between parts: it says nothing. */
  kind: Block['kind'] | null
  level: number
  /** Of a heading. */
  words: string
}

/** Front matter describes an article and is no part of it, but for its title. */
function withoutFrontMatter(text: string): { title: string | null; body: string } {
  const found = /^---\n([\s\S]{0,10000}?)\n---(?:\n|$)/.exec(text)
  if (!found?.[1] || !/^\w[\w-]*:/m.test(found[1])) return { title: null, body: text }
  const title = /^title:[ \t]*["']?(.+?)["']?[ \t]*$/m.exec(found[1])?.[1] ?? null
  return { title, body: text.slice(found[0].length) }
}
