/** A piece of an article in its order. `text` is markdown, of a heading its bare words. */
export interface Block {
  kind: 'heading' | 'item' | 'text' | 'code' | 'table'
  /** Of a heading, 1 to 6; else 0. */
  level: number
  text: string
}

export const mostBlocks = 5000
/** As much as always fits into a hundred nodes: two neighbours that do not fit into one fill more than half of both. */
export const mostCharacters = 900_000
/** As much as one node holds. */
export const nodeCharacters = 20_000

/** Why an article cannot be read, in words for who sent it; `type`: it is none of the kinds that can be. */
export class ArticleError extends Error {
  readonly kind: 'broken' | 'type'
  constructor(message: string, kind: 'broken' | 'type' = 'broken') {
    super(message)
    this.kind = kind
  }
}

export interface Writer {
  blocks: Block[]
  add(kind: Block['kind'], text: string, level?: number): void
  /** A line of a list; `depth` 0 begins an item, deeper ones and those without a marker belong to the item before. */
  addLine(depth: number, marker: string | null, text: string): void
}

/** Takes blocks as a reader finds them, within what one import may hold. */
export function createWriter(): Writer {
  const blocks: Block[] = []
  let characters = 0
  const grow = (text: string) => {
    characters += text.length
    if (characters > mostCharacters) throw new ArticleError(`The article has more than ${mostCharacters.toLocaleString('en')} characters`)
  }
  const add: Writer['add'] = (kind, given, level = 0) => {
    const text = storable(given)
    if (!text.trim()) return
    grow(text)
    for (const piece of pieces(text)) blocks.push({ kind, level, text: piece })
    if (blocks.length > mostBlocks) throw new ArticleError(`The article has more than ${mostBlocks.toLocaleString('en')} paragraphs`)
  }
  return {
    blocks,
    add,
    addLine(depth, marker, text) {
      if (!text.trim()) return
      const item = blocks.at(-1)
      const line = storable(indented(`${marker ? `${marker} ` : ''}${text}`, '  '.repeat(marker ? depth : depth + 1)))
      const begins = depth === 0 && marker
      if (item?.kind !== 'item' || begins || item.text.length + line.length >= nodeCharacters) return add('item', line)
      grow(line)
      item.text += `\n${line}`
    },
  }
}

function indented(text: string, by: string): string {
  return by + text.replaceAll('\n', `\n${by}`)
}

/** What no database keeps is no part of a text. */
function storable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}

/** A code block in markdown, between fences longer than any in it. */
export function fenced(code: string, language = ''): string {
  let longest = 2
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${code.replace(/\n+$/, '')}\n${fence}`
}

/** What is longer than a node is cut, at a line's end where there is one. */
function pieces(text: string): string[] {
  const found: string[] = []
  let rest = text
  while (rest.length > nodeCharacters) {
    const line = rest.lastIndexOf('\n', nodeCharacters)
    const at = line > 0 ? line : nodeCharacters - (/[\ud800-\udbff]/.test(rest[nodeCharacters - 1] ?? '') ? 1 : 0)
    found.push(rest.slice(0, at))
    rest = rest.slice(line > 0 ? at + 1 : at)
  }
  return [...found, rest].filter((piece) => piece.trim())
}
