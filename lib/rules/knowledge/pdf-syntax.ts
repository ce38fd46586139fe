import { spend } from '#rules/budget.ts'
import { decodeUnits } from '#rules/text/bytes.ts'
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

/** A number takes less than a value for which a text or a list is made. */
const [stepsPerNumber, stepsPerToken] = [12, 20]
const maxPendingSteps = 10_000
const maxDepth = 60
/** Bytes of memory of a value: its object, its place in a list or dictionary, and the start of its text. */
const valueBytes = 80
/** What the values may hold that are read before `held` is set to 0: an object, or the operands of an operator. */
const maxHeldBytes = 16 * 1024 * 1024
/** The words of up to three bytes that were read before, by their bytes. */
const shortWords = new Map<number, PdfWord>()
const [maxShortWord, maxShortWords] = [3, 500]
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
  /** Bytes of memory of the values since it was set to 0. */
  held: number
  /** Return the next value, or undefined at the end. */
  next(): PdfValue | undefined
}

/** Create a parser of values. Each value is counted, with the memory that it takes. */
export function createPdfParser(bytes: Uint8Array, at = 0): PdfParser {
  const parser: PdfParser = { at, held: 0, next: readNext }
  /** Steps that are not spent yet. Spending those of a value at once takes half the time. */
  let pending = 0
  return parser

  function readNext(): PdfValue | undefined {
    const value = readValue(0)
    spend(pending)
    pending = 0
    return value
  }

  function count(steps: number): void {
    pending += steps
    if (pending < maxPendingSteps) return
    spend(pending)
    pending = 0
  }

  function hold(count: number): void {
    parser.held += count
    if (parser.held > maxHeldBytes) throw new ArticleError('The PDF is damaged: an object is too large')
  }

  function readValue(depth: number): PdfValue | undefined {
    hold(valueBytes)
    if (depth > maxDepth) throw new ArticleError('The PDF is damaged: its values are nested too deeply')
    skipSpace()
    const byte = bytes[parser.at]
    if (byte === undefined) return undefined
    count(startsNumber(byte) ? stepsPerNumber : stepsPerToken)
    switch (byte) {
      case 0x2f:
        return readName()
      case 0x28:
        return readString()
      case 0x5b:
        return readArray(depth)
      case 0x3c:
        return bytes[parser.at + 1] === 0x3c ? readDict(depth) : readHexString()
      case 0x5d:
      case 0x29:
      case 0x7d:
      case 0x7b:
      case 0x3e: {
        const isDictEnd = byte === 0x3e && bytes[parser.at + 1] === 0x3e
        parser.at += isDictEnd ? 2 : 1
        return { word: isDictEnd ? '>>' : String.fromCharCode(byte) }
      }
      default:
        return readWord(byte)
    }
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
    count(parser.at - start)
  }

  /** Return the characters up to the next space or delimiter. */
  function readRegular(): string {
    const start = parser.at
    while (parser.at < bytes.length && isRegular(bytes[parser.at])) parser.at++
    const length = parser.at - start
    count(length > maxShortText ? length * stepsPerLongByte : length)
    hold(length)
    return decodeLatin1(bytes, start, parser.at)
  }

  function readName(): PdfName {
    parser.at++
    const name = readRegular()
    if (!name.includes('#')) return { name }
    count(name.length * 5)
    const escaped = replaceNameEscapes(bytes.subarray(parser.at - name.length, parser.at))
    return { name: decodeLatin1(escaped, 0, escaped.length) }
  }

  /**
   * Return an ordinary number, or a reference that starts with it, or null. Most values of a page are numbers,
   * and making a text of each takes longer.
   */
  function readNumber(first: number): number | PdfRef | null {
    const hasSign = first === 0x2d || first === 0x2b
    let at = hasSign ? parser.at + 1 : parser.at
    let [digits, number, divisor] = [0, 0, 0]
    for (let byte = bytes[at]; isDigit(byte) || (byte === 0x2e && divisor === 0); byte = bytes[++at]) {
      if (byte === 0x2e) divisor = 1
      else {
        digits++
        divisor *= 10
        number = number * 10 + (byte as number) - 0x30
      }
    }
    // So many digits are exact, and so is what they are divided by.
    if (digits === 0 || digits > 15 || isRegular(bytes[at])) return null
    const length = at - parser.at
    count(length)
    hold(length)
    parser.at = at
    if (divisor > 0) number /= divisor
    else if (!hasSign) return readRef(number) ?? number
    return first === 0x2d ? -number : number
  }

  /** Return a short word, or null. A page has the same few operators thousands of times. */
  function readShortWord(): PdfWord | null {
    let [key, length] = [0, 0]
    for (; isRegular(bytes[parser.at + length]); length++) {
      if (length === maxShortWord) return null
      key = key * 256 + (bytes[parser.at + length] as number)
    }
    if (length === 0) return null
    const word = shortWords.get(key) ?? { word: decodeLatin1(bytes, parser.at, parser.at + length) }
    if (shortWords.size < maxShortWords) shortWords.set(key, word)
    count(length)
    hold(length)
    parser.at += length
    return word
  }

  function readWord(first: number): PdfValue {
    const isNumber = startsNumber(first)
    const ordinary = isNumber ? readNumber(first) : readShortWord()
    if (ordinary !== null) return ordinary
    const text = readRegular()
    if (text === '') parser.at++
    if (!isNumber) {
      const keyword = keywords.get(text)
      return keyword === undefined ? { word: text } : keyword
    }
    const number = Number.parseFloat(text)
    if (isDigit(first) && /^\d+$/.test(text)) return readRef(number) ?? number
    return Number.isFinite(number) ? number : 0
  }

  /** Return the reference `12 0 R` whose first number was read, or null. */
  function readRef(ref: number): PdfRef | null {
    const end = parser.at + 20
    let digits = parser.at
    while (digits < end && isSpace(bytes[digits])) digits++
    let space = digits
    while (space < end && isDigit(bytes[space])) space++
    let word = space
    while (word < end && isSpace(bytes[word])) word++
    const isReference =
      digits > parser.at &&
      space > digits &&
      word > space &&
      bytes[word] === 0x52 &&
      !isRegular(bytes[word + 1])
    if (!isReference) return null
    parser.at = word + 1
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
    while (parser.at < bytes.length && bytes[parser.at] !== 0x3e) parser.at++
    count((parser.at - start) * 4)
    hold(parser.at - start)
    const decoded = decodeHex(bytes.subarray(start, parser.at++))
    return { bytes: decodeLatin1(decoded, 0, decoded.length) }
  }

  function readString(): PdfString {
    const start = ++parser.at
    let hasEscapes = false
    for (let depth = 1; parser.at < bytes.length; parser.at++) {
      const byte = bytes[parser.at]
      if (byte === backslash) {
        hasEscapes = true
        parser.at++
      } else if (byte === 0x28) depth++
      else if (byte === 0x29 && --depth === 0) break
    }
    const end = Math.min(parser.at++, bytes.length)
    count((end - start) * 3)
    hold(end - start)
    if (!hasEscapes) return { bytes: decodeLatin1(bytes, start, end) }
    const text = replaceEscapes(bytes.subarray(start, end))
    return { bytes: decodeLatin1(text, 0, text.length) }
  }
}

/** Replace the escapes of a string: ISO 32000-1, 7.3.4.2. */
function replaceEscapes(text: Uint8Array): Uint8Array {
  const out = new Uint8Array(text.length)
  let size = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number
    if (byte !== backslash) out[size++] = byte
    else {
      const escaped = text[++at] ?? 0x20
      if (isOctal(escaped)) {
        let value = escaped - 0x30
        for (let digits = 1; digits < 3 && isOctal(text[at + 1]); digits++)
          value = value * 8 + (text[++at] as number) - 0x30
        out[size++] = value
      } else if (escaped === 13 || escaped === 10) {
        if (escaped === 13 && text[at + 1] === 10) at++
      } else out[size++] = escapes.get(escaped) ?? escaped
    }
  }
  return out.subarray(0, size)
}

/** Replace `#41` in a name: ISO 32000-1, 7.3.5. */
function replaceNameEscapes(name: Uint8Array): Uint8Array {
  const out = new Uint8Array(name.length)
  let size = 0
  for (let at = 0; at < name.length; at++) {
    const byte = name[at] as number
    const high = hexDigits[name[at + 1] ?? 0] ?? -1
    const low = hexDigits[name[at + 2] ?? 0] ?? -1
    const isEscape = byte === numberSign && high >= 0 && low >= 0
    out[size++] = isEscape ? high * 16 + low : byte
    if (isEscape) at += 2
  }
  return out.subarray(0, size)
}

/** The value of each byte as a hexadecimal digit, or -1. */
const hexDigits = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
)

/** Decode hexadecimal digits. Other characters are left out, and a missing last digit is 0: ISO 32000-1, 7.3.4.3. */
export function decodeHex(digits: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array((digits.length + 1) >> 1)
  let count = 0
  for (const byte of digits) {
    const digit = hexDigits[byte] ?? -1
    if (digit < 0) continue
    const place = count++ >> 1
    out[place] = (out[place] as number) + (count % 2 === 1 ? digit * 16 : digit)
  }
  return out.subarray(0, (count + 1) >> 1)
}

/** The bytes of a text that is put together from its characters, and the steps of a byte of a longer one. */
const [maxShortText, stepsPerLongByte] = [12, 6]
/** Return the text from `start` to `end`, in which each character is a byte. `TextDecoder` has Windows-1252 instead. */
function decodeLatin1(bytes: Uint8Array, start: number, end: number): string {
  // Most are short, and a part of a list of bytes costs more than they do.
  if (end - start <= maxShortText) {
    let text = ''
    for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] as number)
    return text
  }
  return decodeUnits(bytes.subarray(start, end))
}

const backslash = 0x5c
const numberSign = 0x23
const escapes = new Map(
  [...'nrtbf'].map((letter, index) => [letter.charCodeAt(0), [10, 13, 9, 8, 12][index] ?? 0]),
)
const spaces = new Set([0, 9, 10, 12, 13, 32])
const isSpaceByByte = Uint8Array.from({ length: 256 }, (_, byte) => Number(spaces.has(byte)))
const isSpace = (byte: number | undefined) => byte !== undefined && isSpaceByByte[byte] === 1
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39
const startsNumber = (byte: number) => isDigit(byte) || byte === 0x2d || byte === 0x2b || byte === 0x2e
const isOctal = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x37
const delimiters = new Set([...'()<>[]{}/%'].map((char) => char.charCodeAt(0)))
const isRegularByByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(!spaces.has(byte) && !delimiters.has(byte)),
)
/** Return whether a byte belongs to a word or a name. */
const isRegular = (byte: number | undefined) => byte !== undefined && isRegularByByte[byte] === 1
