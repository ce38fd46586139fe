import type { Token } from 'markdown-it'
import {
  type Block,
  type Lines,
  type List,
  type ListItem,
  parsePlainText,
  readLanguage,
  type Span,
  type Table,
} from './blocks.ts'
import type { Markdown } from './markdown.ts'
import { createMarkdownParser, deepLine } from './parser.ts'

const parser = createMarkdownParser((address) => /^(?:https?:\/\/|mailto:)/i.test(address))

/** Matches any text with markup: a markup character, or the start of a list or of indented code. */
const anyMarkup = /[`*_~[\]|\\&#>+=-]|^[ \t]*\d{1,9}[.)]|^(?: {4}|\t)/m

/**
 * Parse a markdown text. Each line break of the source stays. An image becomes a link, because an export
 * loads nothing.
 */
export function parseMarkdown(text: Markdown): Block[] {
  if (!anyMarkup.test(text) || deepLine.test(text)) return parsePlainText(text)
  return readBlocks(createReader(parser.parse(text, {})), '')
}

/** Reads tokens in order. `next` returns undefined after the last one. */
interface TokenReader {
  next(): Token | undefined
}

function createReader(tokens: readonly Token[]): TokenReader {
  let index = 0
  return { next: () => tokens[index++] }
}

/** Read the blocks before the token of type `end`. */
function readBlocks(reader: TokenReader, end: string): Block[] {
  const blocks: Block[] = []
  for (let token = reader.next(); token && token.type !== end; token = reader.next()) {
    const block = readBlock(reader, token)
    if (block) blocks.push(block)
  }
  return blocks
}

function readBlock(reader: TokenReader, token: Token): Block | null {
  switch (token.type) {
    case 'heading_open':
      return { kind: 'heading', level: Number(token.tag.slice(1)), spans: readLines(reader.next()).flat() }
    case 'paragraph_open':
      return { kind: 'paragraph', lines: readLines(reader.next()) }
    case 'fence':
    case 'code_block':
      return { kind: 'code', text: token.content.replace(/\n$/, ''), language: readLanguage(token.info) }
    case 'hr':
      return { kind: 'rule' }
    case 'blockquote_open':
      return { kind: 'quote', blocks: readBlocks(reader, 'blockquote_close') }
    case 'bullet_list_open':
      return readList(reader, 'bullet_list_close', null)
    case 'ordered_list_open':
      return readList(reader, 'ordered_list_close', Number(token.attrGet('start') ?? 1))
    case 'table_open':
      return readTable(reader)
    default:
      return null
  }
}

function readList(reader: TokenReader, end: string, start: number | null): List {
  const items: ListItem[] = []
  for (let token = reader.next(); token && token.type !== end; token = reader.next())
    items.push(readTask(readBlocks(reader, 'list_item_close')))
  return { kind: 'list', start, items }
}

/** Cut `[ ]` or `[x]` from the start of an item. */
function readTask(blocks: Block[]): ListItem {
  const [first] = blocks
  const span = first?.kind === 'paragraph' ? first.lines[0]?.[0] : undefined
  const [marker, mark] = /^\[([ xX])\][ \t]+(?=\S|$)/.exec(span?.text ?? '') ?? []
  if (!span || span.code || marker === undefined) return { isChecked: null, blocks }
  span.text = span.text.slice(marker.length)
  return { isChecked: mark !== ' ', blocks }
}

function readTable(reader: TokenReader): Table {
  const rows: Span[][][] = []
  for (let token = reader.next(); token && token.type !== 'table_close'; token = reader.next()) {
    if (token.type === 'tr_open') rows.push([])
    else if (token.type === 'inline') rows.at(-1)?.push(readLines(token).flat())
  }
  return { kind: 'table', rows }
}

/** Read the spans of an inline token. */
function readLines(inline: Token | undefined): Lines {
  const lines: Lines = [[]]
  const style: Omit<Span, 'text'> = {}
  const add = (text: string, more: Omit<Span, 'text'> = {}) => {
    if (text !== '') lines.at(-1)?.push({ ...style, ...more, text })
  }
  for (const token of inline?.children ?? []) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') lines.push([])
    else if (token.type === 'code_inline') add(token.content, { code: true })
    else if (token.type === 'image') add(token.content || 'image', readLink(token, 'src'))
    else if (token.nesting === 0) add(token.content)
    else applyStyle(style, token)
  }
  return lines
}

const styleByToken: Record<string, 'strong' | 'emphasis' | 'struck'> = {
  strong: 'strong',
  em: 'emphasis',
  s: 'struck',
}

/** Start or end the style of a token that opens or closes an element. */
function applyStyle(style: Omit<Span, 'text'>, token: Token): void {
  const name = styleByToken[token.tag]
  if (name) style[name] = token.nesting > 0
  else if (token.type === 'link_open') Object.assign(style, readLink(token, 'href'))
  else if (token.type === 'link_close') {
    delete style.href
    delete style.title
  }
}

function readLink(token: Token, address: 'href' | 'src'): Pick<Span, 'href' | 'title'> {
  const title = token.attrGet('title')
  return { href: String(token.attrGet(address)), ...(title === null ? {} : { title: String(title) }) }
}
