import { type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import { findLongestRun } from '#rules/text/code-fences.ts'
import type { ArticleFormat } from './formats.ts'

/** A part of an article. The blocks are in the order of the article. */
export interface Block {
  kind: 'heading' | 'item' | 'text' | 'code' | 'table'
  /** 1 to 6 for a heading, otherwise 0. */
  level: number
  /** Markdown; for a heading, plain text. */
  text: string
}

export interface Article {
  format: ArticleFormat
  /** One line of at most 300 characters. */
  title: string
  blocks: Block[]
  /** What the import does not have, as sentences. */
  warnings: string[]
}

export const maxBlocks = 5000
/**
 * This many characters always fit into 100 nodes. Neighbouring segments that do not fit into one node are
 * together longer than a node, so on average the nodes are at least half full.
 */
export const maxArticleLength = 900_000
/** The maximum number of characters of a node. */
export const maxNodeLength = 20_000

/** Thrown if an article cannot be read. Its message is for the user. */
export class ArticleError extends Error {
  readonly kind: 'invalid' | 'unsupported_format'
  constructor(message: string, kind: 'invalid' | 'unsupported_format' = 'invalid') {
    super(message)
    this.kind = kind
  }
}

export function tooLongError(): ArticleError {
  return new ArticleError(`The article has more than ${maxArticleLength.toLocaleString('en')} characters`)
}

export interface BlockWriter {
  blocks: Block[]
  /** Add a block. A heading is plain text. */
  add<Kind extends Block['kind']>(
    kind: Kind,
    text: Kind extends 'heading' ? string : Markdown,
    level?: number,
  ): void
  /**
   * Add a line of a list. A line with depth 0 and a marker starts a new item. A deeper line, and a line
   * without a marker, belongs to the current item.
   */
  addListLine(depth: number, marker: string | null, text: Markdown): void
}

/** Create a writer that collects blocks. It throws an ArticleError when the article exceeds a limit. */
export function createBlockWriter(): BlockWriter {
  const blocks: Block[] = []
  let articleLength = 0
  const countLength = (text: string) => {
    articleLength += text.length
    if (articleLength > maxArticleLength) throw tooLongError()
  }
  const add: BlockWriter['add'] = (kind, content, level = 0) => {
    if (kind === 'text' && box.test(content)) return addTasks(content)
    const text = removeUnstorable(kind === 'heading' ? removeAnchor(content) : content)
    if (!text.trim()) return
    countLength(text)
    for (const part of splitLongText(text)) blocks.push({ kind, level, text: part })
    if (blocks.length > maxBlocks)
      throw new ArticleError(`The article has more than ${maxBlocks.toLocaleString('en')} paragraphs`)
  }
  const writer: BlockWriter = {
    blocks,
    add,
    addListLine(depth, marker, line) {
      if (!line.trim()) return
      const text = marker ? replaceBox(line) : line
      const content = marker ? `${marker} ${text}` : text
      const indented = toMarkdown(removeUnstorable(indentLines(content, marker ? depth : depth + 1)))
      const item = blocks.at(-1)
      const startsItem = depth === 0 && marker
      const fitsIntoItem = item?.kind === 'item' && item.text.length + indented.length < maxNodeLength
      if (startsItem || !fitsIntoItem) return add('item', indented)
      countLength(indented)
      item.text += `\n${indented}`
    },
  }
  /** Write the lines of a check list, whose boxes are its only markers. */
  const addTasks = (text: string) => {
    for (const line of text.split('\n')) writer.addListLine(0, box.test(line) ? '-' : null, toMarkdown(line))
  }
  return writer
}

/** A box to tick, at the start of a text. */
const box = /^\s{0,100}([☐☑☒🗹❏❑□])\s{0,100}(?=\S)/u

/** Write the box of a task as markdown does. */
function replaceBox(text: string): string {
  return text.replace(box, (_, sign: string) => ('☑☒🗹'.includes(sign) ? '[x] ' : '[ ] '))
}

// Markdown nests a line below `10. ` only from four spaces on.
const indentPerDepth = 4

/** Remove the sign with which some pages link to a heading, as in “Resolution¶”. */
function removeAnchor(heading: string): string {
  const text = heading.trimEnd()
  return text.endsWith('¶') ? text.slice(0, -1).trimEnd() : heading
}

/** Indent each line. Throw when that makes the text too long, before the memory is used. */
function indentLines(text: string, depth: number): string {
  const indent = ' '.repeat(depth * indentPerDepth)
  const lines = text.split('\n')
  if (text.length + lines.length * indent.length > maxArticleLength) throw tooLongError()
  return lines.map((line) => indent + line).join('\n')
}

/** PostgreSQL can store neither NUL characters nor lone surrogates. */
function removeUnstorable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}

/** Return a markdown code block whose fences are longer than any run of backticks in the code. */
export function formatCodeBlock(code: string, language = ''): Markdown {
  const fence = '`'.repeat(Math.max(2, findLongestRun(code, '`')) + 1)
  return toMarkdown(`${fence}${language}\n${code.replace(/(?<!\n)\n+$/, '')}\n${fence}`)
}

/** Split a text into parts that fit into a node, at line breaks where possible. */
function splitLongText(text: string): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > maxNodeLength) {
    const lineBreak = rest.lastIndexOf('\n', maxNodeLength)
    if (lineBreak > 0) {
      parts.push(rest.slice(0, lineBreak))
      rest = rest.slice(lineBreak + 1)
    } else {
      // Do not split a surrogate pair.
      const endsWithHighSurrogate = /[\ud800-\udbff]/.test(rest[maxNodeLength - 1] ?? '')
      const end = endsWithHighSurrogate ? maxNodeLength - 1 : maxNodeLength
      parts.push(rest.slice(0, end))
      rest = rest.slice(end)
    }
  }
  return [...parts, rest].filter((part) => part.trim())
}
