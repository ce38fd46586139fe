import { type CodeBlock, findCodeBlocks } from '#rules/text/code-fences.ts'
import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'

// The blocks of a long text, which every export format renders in its own way.

export interface Span {
  text: string
  strong?: boolean
  emphasis?: boolean
  struck?: boolean
  code?: boolean
  /** The address; only a link has one. */
  href?: string
  /** The title of a link or an image. Exports do not show it. */
  title?: string | undefined
}
export type Lines = Span[][]

export interface ListItem {
  /** Null unless the list is a list of tasks. */
  isChecked: boolean | null
  blocks: Block[]
}
export interface Table {
  kind: 'table'
  /** The first row is the header. All rows have the same number of cells. */
  rows: Span[][][]
}
export interface List {
  kind: 'list'
  /** The number of the first item, or null for a list without numbers. */
  start: number | null
  items: ListItem[]
}
export type Block =
  | { kind: 'code'; text: string; language: string }
  | { kind: 'paragraph'; lines: Lines }
  | { kind: 'heading'; level: number; spans: Span[] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'rule' }
  | List
  | Table

/** Parse a text that a technician typed. Only fenced code blocks are markup. */
export function parsePlainText(text: string): Block[] {
  const blocks: Block[] = []
  const lines = splitLines(text)
  const codeBlocks = text.includes('```') || text.includes('~~~') ? findCodeBlocks(lines).blocks : []
  let codeBlockIndex = 0
  /** The lines of the paragraph that the next line continues. */
  let openParagraph: Lines | null = null
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as string
    const codeBlock: CodeBlock | undefined = codeBlocks[codeBlockIndex]
    if (codeBlock?.from === index) {
      blocks.push({
        kind: 'code',
        text: lines.slice(codeBlock.from + 1, codeBlock.to).join('\n'),
        language: parseLanguage(line),
      })
      openParagraph = null
      codeBlockIndex++
      index = codeBlock.to
    } else if (line.trim() === '') openParagraph = null
    else if (openParagraph) openParagraph.push([{ text: line }])
    else {
      openParagraph = [[{ text: line }]]
      blocks.push({ kind: 'paragraph', lines: openParagraph })
    }
  }
  return blocks
}

/** Split a text at \n, \r\n and \r. */
export function splitLines(text: string): string[] {
  return normaliseLineBreaks(text).split('\n')
}

function parseLanguage(fenceLine: string): string {
  return readLanguage(/[`~]{3,}(.*)/.exec(fenceLine)?.[1] ?? '')
}

/** Return the language of a code block from the text after its opening fence. */
export function readLanguage(info: string): string {
  return /^[ \t]*([\w+#.-]{1,40})/.exec(info)?.[1] ?? ''
}

/** Return the text of the spans without styles. A link becomes `label (address)`. */
export function formatSpans(spans: readonly Span[]): string {
  return spans
    .map(({ text, href }) => (href !== undefined && href !== text ? `${text} (${href})` : text))
    .join('')
}

export function joinNonEmpty(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator)
}
