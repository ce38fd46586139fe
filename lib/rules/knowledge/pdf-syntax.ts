import { spend } from '#rules/budget.ts'
import { ArticleError } from './blocks.ts'

// Values of a PDF file, and the parser that reads them: ISO 32000-1, 7.2 and 7.3.

export interface PdfName {
  name: string
}
/** A string: each character is a byte. */
export interface PdfString {
  bytes: string
}
export interface PdfRef {
  ref: number
}
/** A word that is no value, such as `obj` or the operator `Tj`. */
export interface PdfWord {
  word: string
}
export type PdfDict = Map<string, PdfValue>
export type PdfValue = null | boolean | number | PdfName | PdfString | PdfRef | PdfWord | PdfValue[] | PdfDict

const stepsPerToken = 30
const maxDepth = 60
const keywords = new Map<string, PdfValue>([
  ['null', null],
  ['true', true],
  ['false', false],
])

export const isName = (value: PdfValue | undefined): value is PdfName => isObject(value) && 'name' in value
export const isString = (value: PdfValue | undefined): value is PdfString =>
  isObject(value) && 'bytes' in value
export const isRef = (value: PdfValue | undefined): value is PdfRef => isObject(value) && 'ref' in value
export const isWord = (value: PdfValue | undefined): value is PdfWord => isObject(value) && 'word' in value

function isObject(value: PdfValue | undefined): value is PdfName | PdfString | PdfRef | PdfWord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
}

export interface PdfParser {
  /** The next byte to read. It may be set. */
  at: number
  /** Return the next value, or undefined at the end. */
  next(): PdfValue | undefined
}

/** Create a parser of values. Each value is counted. */
export function createPdfParser(bytes: Uint8Array, at = 0): PdfParser {
  const parser: PdfParser = { at, next: () => readValue(0) }
  return parser

  function readValue(depth: number): PdfValue | undefined {
    spend(stepsPerToken)
    if (depth > maxDepth) throw new ArticleError('The PDF is damaged: its values are nested too deeply')
    skipSpace()
    const byte = bytes[parser.at]
    if (byte === undefined) return undefined
    const char = String.fromCharCode(byte)
    if (char === '/') return readName()
    if (char === '(') return readString()
    if (char === '[') return readArray(depth)
    if (char === '<') return bytes[parser.at + 1] === 0x3c ? readDict(depth) : readHexString()
    if ('])}>{'.includes(char)) {
      const isDictEnd = char === '>' && bytes[parser.at + 1] === 0x3e
      parser.at += isDictEnd ? 2 : 1
      return { word: isDictEnd ? '>>' : char }
    }
    return readWord()
  }

  function skipSpace(): void {
    const start = parser.at
    for (;;) {
      const byte = bytes[parser.at]
      if (byte === 0x25)
        while (parser.at < bytes.length && bytes[parser.at] !== 10 && bytes[parser.at] !== 13) parser.at++
      else if (byte !== undefined && isSpace(byte)) parser.at++
      else break
    }
    spend(parser.at - start)
  }

  /** Return the characters up to the next space or delimiter. */
  function readRegular(): string {
    const start = parser.at
    let text = ''
    while (parser.at < bytes.length && !isDelimiter(bytes[parser.at] as number))
      text += String.fromCharCode(bytes[parser.at++] as number)
    spend(parser.at - start)
    return text
  }

  function readName(): PdfName {
    parser.at++
    return {
      name: readRegular().replace(/#([\da-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    }
  }

  function readWord(): PdfValue {
    const text = readRegular()
    if (text === '') parser.at++
    if (keywords.has(text)) return keywords.get(text) as PdfValue
    if (!/^[-+.\d]/.test(text)) return { word: text }
    const number = Number.parseFloat(text)
    if (/^\d+$/.test(text)) return readRef(number) ?? number
    return Number.isFinite(number) ? number : 0
  }

  /** Return the reference `12 0 R` whose first number was read, or null. */
  function readRef(ref: number): PdfRef | null {
    let rest = ''
    for (let place = parser.at; place < Math.min(bytes.length, parser.at + 20); place++)
      rest += String.fromCharCode(bytes[place] as number)
    const match = /^\s+\d{1,5}\s+R(?![^\s()<>[\]{}/%])/.exec(rest)
    if (!match) return null
    parser.at += match[0].length
    return { ref }
  }

  function readArray(depth: number): PdfValue[] {
    parser.at++
    const values: PdfValue[] = []
    for (;;) {
      const value = readValue(depth + 1)
      if (value === undefined || (isWord(value) && /^(?:\]|endobj)$/.test(value.word))) return values
      values.push(value)
    }
  }

  function readDict(depth: number): PdfDict {
    parser.at += 2
    const dict: PdfDict = new Map()
    for (;;) {
      const key = readValue(depth + 1)
      if (key === undefined || (isWord(key) && /^(?:>>|endobj|stream)$/.test(key.word))) return dict
      if (!isName(key)) continue
      const value = readValue(depth + 1)
      if (value === undefined || (isWord(value) && value.word === '>>')) return dict
      dict.set(key.name, value)
    }
  }

  function readHexString(): PdfString {
    const start = ++parser.at
    let digits = ''
    while (parser.at < bytes.length && bytes[parser.at] !== 0x3e)
      digits += String.fromCharCode(bytes[parser.at++] as number)
    spend((parser.at - start) * 4)
    parser.at++
    const pairs = digits.replace(/[^\da-f]/gi, '').match(/.{1,2}/g) ?? []
    return {
      bytes: pairs.map((pair) => String.fromCharCode(Number.parseInt(pair.padEnd(2, '0'), 16))).join(''),
    }
  }

  function readString(): PdfString {
    const start = parser.at++
    let text = ''
    let depth = 1
    while (parser.at < bytes.length) {
      let char = String.fromCharCode(bytes[parser.at++] as number)
      if (char === '(') depth++
      else if (char === ')' && --depth === 0) break
      else if (char === '\\') char = readEscape()
      text += char
    }
    spend(parser.at - start)
    return { bytes: text }
  }

  function readEscape(): string {
    const char = String.fromCharCode(bytes[parser.at++] ?? 0x20)
    if (/[0-7]/.test(char)) {
      let digits = char
      while (digits.length < 3 && /[0-7]/.test(String.fromCharCode(bytes[parser.at] ?? 0)))
        digits += String.fromCharCode(bytes[parser.at++] as number)
      return String.fromCharCode(Number.parseInt(digits, 8) & 0xff)
    }
    if (char === '\r' && bytes[parser.at] === 10) parser.at++
    if (char === '\r' || char === '\n') return ''
    return escapes[char] ?? char
  }
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
const isSpace = (byte: number) => byte === 32 || (byte >= 9 && byte <= 13 && byte !== 11) || byte === 0
const isDelimiter = (byte: number) => isSpace(byte) || '()<>[]{}/%'.includes(String.fromCharCode(byte))
