import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import { insideComment, insideQuotes } from '#rules/scripts/placement-reasons.ts'

export type Token =
  | { kind: 'name' | 'operator' | 'number'; text: string }
  /** `text` is the value. If it is not known, because of a `\N{name}`, it is the text between the quotes. */
  | { kind: 'string'; text: string; isFormat: boolean; isKnown: boolean }
  | { kind: 'placeholder'; text: ''; placeholder: JudgedPlaceholder }
  /** The end of a logical line. */
  | { kind: 'end'; text: '' }

export interface PythonTokens {
  tokens: Token[]
  /** Placeholders inside strings and comments, with their reasons. */
  reasons: Map<number, string>
  /** Whether the quotes of the script have different meanings in different versions of Python. */
  isAmbiguous: boolean
}

interface Reader extends PythonTokens {
  script: string
  position: number
  bracketDepth: number
  placeholderByStart: ReadonlyMap<number, JudgedPlaceholder>
}

const name = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*/uy
const stringStart = /([a-zA-Z]{0,3})("""|'''|"|')/y

export function readPythonTokens(script: string, placeholders: readonly JudgedPlaceholder[]): PythonTokens {
  const placeholderByStart = new Map(placeholders.map((placeholder) => [placeholder.start, placeholder]))
  const reader: Reader = { script, position: 0, bracketDepth: 0, placeholderByStart, tokens: [], reasons: new Map(), isAmbiguous: false }
  while (reader.position < script.length) readToken(reader)
  reader.tokens.push({ kind: 'end', text: '' })
  return reader
}

function readToken(reader: Reader): void {
  const { script, position, tokens } = reader
  const placeholder = reader.placeholderByStart.get(position)
  if (placeholder) {
    tokens.push({ kind: 'placeholder', text: '', placeholder })
    reader.position = placeholder.end
    return
  }
  const char = script[position] ?? ''
  const isLineBreak = char === '\n' || char === '\r'
  if (isLineBreak || (char === ';' && reader.bracketDepth === 0)) {
    if (reader.bracketDepth === 0) tokens.push({ kind: 'end', text: '' })
    reader.position++
  } else if (char === '\\') reader.position += script.startsWith('\r\n', position + 1) ? 3 : 2
  else if (char === '#') skipComment(reader)
  else if (!readString(reader) && !readName(reader)) readOperator(reader, char)
}

/** A carriage return ends a comment too. */
function skipComment(reader: Reader): void {
  while (reader.position < reader.script.length && !/[\r\n]/.test(reader.script[reader.position] ?? '')) skip(reader, insideComment)
}

/** Skip a character, or a placeholder that is refused. */
function skip(reader: Reader, reason: string): void {
  const placeholder = reader.placeholderByStart.get(reader.position)
  if (placeholder) reader.reasons.set(placeholder.start, reason)
  reader.position = placeholder?.end ?? reader.position + 1
}

function readString(reader: Reader): boolean {
  stringStart.lastIndex = reader.position
  const match = stringStart.exec(reader.script)
  if (!match) return false
  const [opening, prefix = '', quotes = ''] = match
  reader.position += opening.length
  const start = reader.position
  while (reader.position < reader.script.length && !reader.script.startsWith(quotes, reader.position)) {
    const char = reader.script[reader.position]
    if (char === '\n' && quotes.length === 1) break
    if (char === '\\') reader.position += reader.script.startsWith('\r\n', reader.position + 1) ? 2 : 1
    skip(reader, insideQuotes)
  }
  const source = reader.script.slice(start, reader.position)
  const isClosed = reader.script.startsWith(quotes, reader.position)
  if (isClosed) reader.position += quotes.length
  const isFormat = /[ft]/i.test(prefix)
  // Since Python 3.12 the braces of such a string may contain the same quotes.
  if (!isClosed || (isFormat && !hasClosedBraces(source))) reader.isAmbiguous = true
  const text = /r/i.test(prefix) ? source : decodeEscapes(source, /b/i.test(prefix))
  reader.tokens.push({ kind: 'string', text: text ?? source, isFormat, isKnown: text !== undefined })
  return true
}

const escapeSequence = /\\(?:\r\n|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([^xuU0-7]))/gsu
const characterByEscape: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\n': '',
  '\r': '',
}

/**
 * Replace the escape sequences of a string. Return undefined if it names a character, as `\N{dash}` does.
 * https://docs.python.org/3/reference/lexical_analysis.html#escape-sequences
 */
function decodeEscapes(source: string, isBytes: boolean): string | undefined {
  if (!source.includes('\\')) return source
  let isNamed = false
  const text = source.replace(escapeSequence, (sequence, hex, short, long, octal, char) => {
    if (char === 'N' && !isBytes) isNamed = true
    const isUnicode = short !== undefined || long !== undefined
    if (isUnicode && isBytes) return sequence
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    if (char === undefined) return ''
    return characterByEscape[char] ?? (/["'\\]/.test(char) ? char : sequence)
  })
  return isNamed ? undefined : text
}

function hasClosedBraces(text: string): boolean {
  const braces = text.replaceAll('{{', '').replaceAll('}}', '')
  return braces.split('{').length === braces.split('}').length
}

function readName(reader: Reader): boolean {
  name.lastIndex = reader.position
  const text = name.exec(reader.script)?.[0]
  if (!text) return false
  // Python compares names in this normal form.
  reader.tokens.push({ kind: /^\d/.test(text) ? 'number' : 'name', text: text.normalize('NFKC') })
  reader.position += text.length
  return true
}

function readOperator(reader: Reader, char: string): void {
  reader.position++
  if (/\s/.test(char)) return
  if ('([{'.includes(char)) reader.bracketDepth++
  if (')]}'.includes(char)) reader.bracketDepth = Math.max(0, reader.bracketDepth - 1)
  const before = reader.tokens.at(-1)
  const isAugmented = char === '=' && before?.kind === 'operator' && /^[=!<>+\-*/%&|^@:]+$/.test(before.text)
  if (isAugmented && reader.script[reader.position - 2] === before.text.at(-1)) before.text += '='
  else reader.tokens.push({ kind: 'operator', text: char })
}
