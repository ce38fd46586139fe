import type { Token } from 'markdown-it'
import { createMarkdownParser } from './parser.ts'

// Where in a markdown text something is put in. A mark stands there while the text is parsed: a word of
// characters that no text needs.

const [markStart, markEnd] = ['\ufdd0', '\ufdd1']
const marks = /\ufdd0(\d{1,6})\ufdd1/g

export const createMark = (index: number): string => `${markStart}${index}${markEnd}`

/**
 * What a mark is a part of. `block` is a code block, `info` the language of one, `address` and `title` are
 * those of a link.
 */
export type PlaceKind =
  | 'text'
  | 'cell'
  | 'heading'
  | 'code'
  | 'cell-code'
  | 'block'
  | 'info'
  | 'address'
  | 'title'
  | 'autolink'
export interface Place {
  kind: PlaceKind
  /** The code span or the code block that the marks with these indexes are in. */
  code?: Code
}
export interface Code {
  fence: string
  /** The lines of a block, from the first to before the last. Null for a span. */
  lines: readonly [number, number] | null
  indexes: number[]
}

// An address may be filled as a whole, so it is judged after that.
const parser = createMarkdownParser(() => true)

/** Return the place of each mark, by its index. A mark that the parser does not show has none. */
export function findPlaces(source: string): Map<number, Place> {
  const places = new Map<number, Place>()
  const add = (text: string, kind: PlaceKind, code?: Code) => {
    for (const [, digits] of text.matchAll(marks)) {
      const index = Number(digits)
      // The address of a link is found before its text, which repeats it in an autolink.
      if (!places.has(index)) places.set(index, { kind, ...(code ? { code } : {}) })
      code?.indexes.push(index)
    }
  }
  const addInline = (tokens: readonly Token[], kind: 'text' | 'cell' | 'heading') => {
    for (const token of tokens) {
      const address = token.attrGet('href') ?? token.attrGet('src')
      if (address !== null) add(String(address), token.markup === 'autolink' ? 'autolink' : 'address')
      add(String(token.attrGet('title') ?? ''), 'title')
      if (token.type === 'code_inline')
        add(token.content, kind === 'cell' ? 'cell-code' : 'code', {
          fence: token.markup,
          lines: null,
          indexes: [],
        })
      else if (token.children) addInline(token.children, kind)
      else add(token.content, kind)
    }
  }
  let kind: 'text' | 'cell' | 'heading' = 'text'
  for (const token of parser.parse(source, {})) {
    if (token.type === 'inline') addInline(token.children ?? [], kind)
    else if (token.type === 'fence' || token.type === 'code_block') {
      add(token.info, 'info')
      const [first, end] = token.map ?? [0, 0]
      add(token.content, 'block', { fence: token.markup, lines: [first, end], indexes: [] })
    } else
      kind = /^t[dh]_open$/.test(token.type) ? 'cell' : token.type === 'heading_open' ? 'heading' : 'text'
  }
  return places
}
