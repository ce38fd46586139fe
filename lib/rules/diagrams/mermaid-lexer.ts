// Reads the parts of a statement of a mermaid flowchart: https://mermaid.js.org/syntax/flowchart.html

const maxLabelLength = 2000

/** The signs before a label, and those after it. Longer ones come first. */
const shapes: readonly (readonly [open: string, closes: readonly string[]])[] = [
  ['(((', [')))']],
  ['((', ['))']],
  ['([', ['])']],
  ['[[', [']]']],
  ['[(', [')]']],
  ['[/', ['/]', '\\]']],
  ['[\\', ['\\]', '/]']],
  ['{{', ['}}']],
  ['(-', ['-)']],
  ['[', [']']],
  ['(', [')']],
  ['{', ['}']],
  ['>', [']']],
]

export interface MermaidNode {
  id: string
  /** Undefined if the statement only names the node. */
  label: string | undefined
  shape: string | undefined
  className: string | undefined
}

export interface MermaidLink {
  label: string
  kind: 'line' | 'dotted' | 'thick' | 'invisible'
}

/** A place in the text. A function that does not find what it reads leaves it where it is. */
export interface Cursor {
  text: string
  index: number
}

/** Read what a sticky pattern matches. */
export function read(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = cursor.index
  const match = pattern.exec(cursor.text)
  if (match) cursor.index = pattern.lastIndex
  return match
}

export const skipSpaces = (cursor: Cursor) => read(cursor, /[ \t\r]*/y)

/** Read a node with its label and class, such as `fw{{"Firewall"}}:::security`. */
export function readNode(cursor: Cursor): MermaidNode | null {
  const id = read(cursor, /[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_]|[-.](?=[\p{L}\p{N}_]))*/uy)?.[0]
  if (!id) return null
  const shape = readShape(cursor) ?? readAttributes(cursor)
  const className = read(cursor, /:::([\w-]+)/y)?.[1]
  return { id, label: shape?.label, shape: shape?.name, className }
}

function readShape(cursor: Cursor): { label: string; name: string } | null {
  const shape = shapes.find(([open]) => cursor.text.startsWith(open, cursor.index))
  if (!shape) return null
  const [open, closes] = shape
  const start = cursor.index
  cursor.index += open.length
  const label = readQuoted(cursor) ?? readUntil(cursor, closes)
  const close = closes.find((sign) => cursor.text.startsWith(sign, cursor.index))
  if (label === null || !close) {
    cursor.index = start
    return null
  }
  cursor.index += close.length
  return { label, name: open }
}

/** Read `@{ shape: cyl, label: "Disk" }`. */
function readAttributes(cursor: Cursor): { label: string | undefined; name: string } | null {
  const attributes = read(cursor, /@\{([^{}\n]*)\}/y)?.[1]
  if (attributes === undefined) return null
  const label = /(?:^|[,\s])label:\s*(?:"([^"]*)"|([^,"]*))/.exec(attributes)
  return {
    label: label?.[1] ?? label?.[2],
    name: /(?:^|[,\s])shape:\s*"?([\w-]+)/.exec(attributes)?.[1] ?? '',
  }
}

function readQuoted(cursor: Cursor): string | null {
  const quoted = read(cursor, /\s*"([^"]*)"\s*/y)
  return quoted ? (quoted[1] ?? '') : null
}

/** Read up to one of some signs on the same line. */
function readUntil(cursor: Cursor, signs: readonly string[]): string | null {
  const [line = ''] = cursor.text.slice(cursor.index, cursor.index + maxLabelLength).split('\n', 1)
  const lengths = signs.map((sign) => line.indexOf(sign)).filter((length) => length >= 0)
  if (lengths.length === 0) return null
  const label = line.slice(
    0,
    lengths.reduce((least, length) => Math.min(least, length)),
  )
  cursor.index += label.length
  return label
}

/** Read a link with its label, such as `-->|"10G"|` and `-- 10G -->`. */
export function readLink(cursor: Cursor): MermaidLink | null {
  const start = cursor.index
  read(cursor, /[\w-]+@/y)
  const wholeLink = read(cursor, /[xo<]?(?:--+[-xo>]|==+[=xo>]|-\.+-[xo>]?|~~~+)/y)?.[0]
  if (wholeLink) {
    skipSpaces(cursor)
    const label = read(cursor, /\|(?:\s*"([^"]*)"\s*|([^|\n]*))\|/y)
    return { kind: findKind(wholeLink), label: label?.[1] ?? label?.[2] ?? '' }
  }
  const parts =
    read(cursor, /[xo<]?--(?:[ \t]*"([^"\n]*)"[ \t]*|((?:[^-\n]|-(?!-))*))--+[-xo>]/y) ??
    read(cursor, /[xo<]?==(?:[ \t]*"([^"\n]*)"[ \t]*|((?:[^=\n]|=(?!=))*))==+[=xo>]/y) ??
    read(cursor, /[xo<]?-\.(?:[ \t]*"([^"\n]*)"[ \t]*|((?:[^.\n]|\.(?!-|\.))*))\.+-[xo>]?/y)
  // A pattern that looks for the spaces around a label tries each place where they may end.
  if (parts) return { kind: findKind(parts[0]), label: parts[1] ?? parts[2]?.trim() ?? '' }
  cursor.index = start
  return null
}

function findKind(link: string): MermaidLink['kind'] {
  const sign = link.replace(/^[xo<]/, '').slice(0, 2)
  if (sign === '-.') return 'dotted'
  if (sign === '~~') return 'invisible'
  return sign === '==' ? 'thick' : 'line'
}
