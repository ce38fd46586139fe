import { Parser } from 'htmlparser2'
import { ArticleError, type Block, createWriter, fenced, type Writer } from './blocks.ts'

interface Tag {
  name: string
  given: Record<string, string>
  children: (Tag | string)[]
}

const silent = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'object', 'svg'])
const inline = new Set(
  'a abbr b bdi bdo cite code del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tt u var wbr'.split(' '),
)
const structural = new Set(['ul', 'ol', 'pre', 'table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const mostDepth = 200
// Where a line ends within a paragraph, until blanks have been made one.
const lineBreak = '\u2028'

/** The blocks of a page: its texts in their order, links with their addresses; nothing of its scripts. */
export function readHtml(html: string): { title: string | null; blocks: Block[] } {
  const reading: Reading = { writer: createWriter(), lists: [], line: '', heading: 0, title: null }
  walk(reading, parse(html))
  end(reading)
  return { title: reading.title, blocks: reading.writer.blocks }
}

function parse(html: string): Tag {
  const root: Tag = { name: '', given: {}, children: [] }
  const open = [root]
  const parser = new Parser({
    onopentag(name, given) {
      const tag = { name, given, children: [] }
      open.at(-1)?.children.push(tag)
      if (open.push(tag) > mostDepth) throw new ArticleError('The page is nested too deep')
    },
    ontext: (text) => void open.at(-1)?.children.push(text),
    onclosetag: () => void open.pop(),
  })
  parser.end(html)
  return root
}

interface Reading {
  writer: Writer
  lists: { ordered: boolean; count: number; marker: string | null }[]
  /** What was read of the paragraph so far. */
  line: string
  heading: number
  title: string | null
}

function walk(reading: Reading, { children }: Tag): void {
  for (const child of children) {
    if (typeof child === 'string') reading.line += child
    else if (child.name === 'br') reading.line += lineBreak
    else if (child.name === 'title') reading.title ??= collapsed(textOf(child)) || null
    else if (inline.has(child.name)) phrase(reading, child)
    else if (!silent.has(child.name)) block(reading, child)
  }
}

function phrase(reading: Reading, tag: Tag): void {
  walk(reading, tag)
  reading.line += addressOf(tag, reading.line)
}

/** What a tag says beyond its text: where a link leads, what a picture shows. */
function addressOf({ name, given }: Tag, before: string): string {
  if (name === 'img' && given.alt) return ` ${given.alt} `
  const href = name === 'a' ? (given.href ?? '') : ''
  return /^(?:https?|mailto):/i.test(href) && !before.trimEnd().endsWith(href) ? ` (${href})` : ''
}

function block(reading: Reading, tag: Tag): void {
  end(reading)
  if (tag.name === 'pre') return void put(reading, 'code', fenced(textOf(tag).replace(/^\n/, '')))
  if (tag.name === 'table' && !isLayout(tag)) return void put(reading, 'table', rowsOf(tag).join('\n'))
  if (/^[uo]l$/.test(tag.name)) return void list(reading, tag)
  const current = reading.lists.at(-1)
  if (tag.name === 'li' && current) current.marker = current.ordered ? `${current.count++}.` : '-'
  const level = /^h([1-6])$/.exec(tag.name)?.[1]
  if (level) reading.heading = Number(level)
  walk(reading, tag)
  end(reading)
  if (level) reading.heading = 0
}

function list(reading: Reading, tag: Tag): void {
  reading.lists.push({ ordered: tag.name === 'ol', count: Number.parseInt(tag.given.start ?? '1', 10) || 1, marker: null })
  walk(reading, tag)
  end(reading)
  reading.lists.pop()
}

function end(reading: Reading): void {
  const text = collapsed(reading.line)
  reading.line = ''
  put(reading, reading.heading ? 'heading' : 'text', reading.heading ? text.replaceAll('\n', ' ') : text, reading.heading)
}

function put({ writer, lists }: Reading, kind: Block['kind'], text: string, level = 0): void {
  const current = lists.at(-1)
  if (!current) return void writer.add(kind, text, level)
  if (!text.trim()) return
  writer.addLine(lists.length - 1, current.marker, text)
  current.marker = null
}

function collapsed(text: string): string {
  return text
    .replace(/[\t\n\f\r ]+/g, ' ')
    .replaceAll(new RegExp(` ?${lineBreak} ?`, 'g'), '\n')
    .trim()
}

/** A table that only places what is more than cells of text. */
function isLayout({ children }: Tag): boolean {
  return children.some((child) => typeof child !== 'string' && (structural.has(child.name) || isLayout(child)))
}

/** Each row as a line; a caption, and whatever else stands in a table, is a line of its own. */
function rowsOf({ children }: Tag): string[] {
  return children.flatMap((child) => {
    if (typeof child === 'string') return collapsed(child) || []
    if (/^(?:tbody|thead|tfoot|form)$/.test(child.name)) return rowsOf(child)
    if (child.name !== 'tr') return cellOf(child) || []
    return child.children
      .map((cell) => (typeof cell === 'string' ? collapsed(cell) : cellOf(cell)))
      .filter(Boolean)
      .join(' | ')
  })
}

function cellOf(tag: Tag): string {
  return collapsed(textOf(tag)).replaceAll('\n', ' ')
}

function textOf(tag: Tag): string {
  const { name, children } = tag
  if (silent.has(name)) return ''
  if (name === 'br') return '\n'
  const text = children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('')
  const around = inline.has(name) || /^(?:pre|title)$/.test(name) ? '' : ' '
  return `${around}${text}${addressOf(tag, text)}${around}`
}
