import { spend, spendBytes } from '#rules/budget.ts'
import type { PdfFile } from './pdf-file.ts'
import { createPdfParser, isName, isString, isWord, type PdfDict, type PdfValue } from './pdf-syntax.ts'
import { replaceSymbols } from './symbols.ts'

// Turns the codes of a PDF text into characters and widths: ISO 32000-1, 9.6 to 9.10.

export interface Glyph {
  /** Empty if the font does not say which character it is. */
  text: string
  /** In parts of the font's size. */
  width: number
  isSpace: boolean
}
export interface PdfFont {
  isBold: boolean
  isMonospaced: boolean
  /** Visit the characters of a text. */
  decode(codes: string, visit: (glyph: Glyph) => void): void
}

interface CodeMap {
  characters: Map<number, string>
  ranges: { from: number; to: number; text: string }[]
  /** The bytes of a code. */
  codeBytes: number | undefined
}

const maxNameLength = 100
/** Bytes of memory of a character or a width that a font keeps. */
const entryBytes = 150

/** Read a font. A font that is missing is read as Windows-1252. */
export async function readFont(file: PdfFile, dict: PdfDict | undefined): Promise<PdfFont> {
  spend(20_000)
  const font: PdfDict = dict ?? new Map()
  const isComposite = file.readName(font.get('Subtype')) === 'Type0'
  const descendant = file.readDict(file.readArray(font.get('DescendantFonts'))[0]) ?? new Map()
  const name = file.readName(font.get('BaseFont'))?.slice(0, maxNameLength) ?? ''
  const toUnicode = await readCodeMap(file, font.get('ToUnicode'))
  const codeBytes = isComposite ? (toUnicode?.codeBytes ?? 2) : 1
  const findWidth = isComposite ? readCompositeWidths(file, descendant) : readWidths(file, font, name)
  const encoding = isComposite ? null : readEncoding(file, font.get('Encoding'))
  const knownGlyphs = new Map<number, Glyph>()
  const createGlyph = (code: number): Glyph => {
    spend(100 + (toUnicode?.ranges.length ?? 0))
    spendBytes(entryBytes)
    const text = replacePrivate((toUnicode && findText(toUnicode, code)) ?? encoding?.(code) ?? '')
    // A character that says nothing, such as the mark for an unknown one, is none.
    return {
      text: /[^\p{Cc}\ufffd]|\s/u.test(text) ? text : '',
      width: findWidth(code),
      isSpace: codeBytes === 1 && code === 32,
    }
  }
  return {
    isBold: /bold|black|heavy|semibold/i.test(name),
    isMonospaced:
      /courier|mono|consolas|menlo|fixed|typewriter|\bcode|cmtt/i.test(name) ||
      hasFixedPitch(file, font, descendant),
    decode(codes, visit) {
      spend(codes.length * 7)
      for (let at = 0; at + codeBytes <= codes.length; at += codeBytes) {
        const code = readCode(codes, at, codeBytes)
        const glyph = knownGlyphs.get(code) ?? createGlyph(code)
        knownGlyphs.set(code, glyph)
        visit(glyph)
      }
    },
  }
}

/**
 * Return whether the descriptor of a font has the flag FixedPitch: ISO 32000-1, 9.8.2. Fonts for Chinese,
 * Japanese and Korean have it too, and their texts are no code. An encrypted file hides which they are.
 */
function hasFixedPitch(file: PdfFile, font: PdfDict, descendant: PdfDict): boolean {
  const descriptor =
    file.readDict(font.get('FontDescriptor')) ?? file.readDict(descendant.get('FontDescriptor'))
  const ordering = file.resolve(file.readDict(descendant.get('CIDSystemInfo'))?.get('Ordering'))
  const isEastAsian = isString(ordering) && !/^(?:Identity|UCS)/.test(ordering.bytes)
  return !isEastAsian && ((file.readNumber(descriptor?.get('Flags')) ?? 0) & 1) === 1
}

function readCode(bytes: string, at: number, length: number): number {
  let code = 0
  for (let n = at; n < at + length; n++) code = code * 256 + bytes.charCodeAt(n)
  return code
}

function replacePrivate(text: string): string {
  if (/[\ufb00-\ufb06]/.test(text)) return text.normalize('NFKC')
  return replaceSymbols(text, () => '')
}

async function readCodeMap(file: PdfFile, value: PdfValue | undefined): Promise<CodeMap | null> {
  const stream = file.findStream(value)
  const content = stream ? await file.readStream(stream) : null
  if (!content) return null
  const map: CodeMap = { characters: new Map(), ranges: [], codeBytes: undefined }
  const parser = createPdfParser(content)
  let operands: PdfValue[] = []
  for (let value = parser.next(); value !== undefined; value = parser.next()) {
    if (!isWord(value)) {
      operands.push(value)
      continue
    }
    // What it defines stays in memory.
    spendBytes(parser.held)
    parser.held = 0
    if (value.word === 'endcodespacerange' && isString(operands[0]))
      map.codeBytes = Math.min(4, Math.max(1, operands[0].bytes.length))
    else if (value.word === 'endbfchar') addCharacters(map, operands)
    else if (value.word === 'endbfrange') addRanges(map, operands)
    operands = []
  }
  return map
}

function addCharacters({ characters }: CodeMap, operands: readonly PdfValue[]): void {
  for (let n = 0; n + 1 < operands.length; n += 2) {
    const [code, text] = [operands[n], operands[n + 1]]
    if (isString(code) && isString(text)) characters.set(toNumber(code.bytes), decodeUtf16(text.bytes))
  }
}

function addRanges({ characters, ranges }: CodeMap, operands: readonly PdfValue[]): void {
  for (let n = 0; n + 2 < operands.length; n += 3) {
    const [from, to, text] = [operands[n], operands[n + 1], operands[n + 2]]
    if (!isString(from) || !isString(to)) continue
    const first = toNumber(from.bytes)
    if (isString(text)) ranges.push({ from: first, to: toNumber(to.bytes), text: decodeUtf16(text.bytes) })
    else if (Array.isArray(text))
      for (const [offset, item] of text.entries())
        if (isString(item)) characters.set(first + offset, decodeUtf16(item.bytes))
  }
}

function findText({ characters, ranges }: CodeMap, code: number): string | undefined {
  const text = characters.get(code)
  if (text !== undefined) return text
  const range = ranges.find(({ from, to }) => code >= from && code <= to)
  if (!range) return undefined
  const last = range.text.codePointAt(range.text.length - 1) ?? 0
  const next = last + code - range.from
  return next <= 0xffff ? range.text.slice(0, -1) + String.fromCharCode(next) : undefined
}

const toNumber = (bytes: string) => readCode(bytes.slice(0, 4), 0, Math.min(4, bytes.length))

function decodeUtf16(bytes: string): string {
  let text = ''
  for (let n = 0; n + 1 < bytes.length && n < 64; n += 2) text += String.fromCharCode(readCode(bytes, n, 2))
  return bytes.length === 1 ? bytes : text
}

const defaultWidth = 0.5

function readWidths(file: PdfFile, font: PdfDict, name: string): (code: number) => number {
  const first = file.readNumber(font.get('FirstChar')) ?? 0
  const widths = file.readArray(font.get('Widths'))
  // The widths of a Type 3 font are in a space of its own.
  const matrix = file.readArray(font.get('FontMatrix'))
  const scale = file.readNumber(matrix[0]) ?? 0.001
  const fallback = /courier|mono/i.test(name) ? 0.6 : defaultWidth
  return (code) => {
    const width = file.readNumber(widths[code - first])
    return width === undefined ? fallback : width * scale
  }
}

/** Read the array `W`: `[first [w1 w2 …] first last w …]`. */
function readCompositeWidths(file: PdfFile, descendant: PdfDict): (code: number) => number {
  const fallback = (file.readNumber(descendant.get('DW')) ?? 1000) / 1000
  const widths = new Map<number, number>()
  const ranges: { from: number; to: number; width: number }[] = []
  const values = file.readArray(descendant.get('W'))
  spend(values.length * 20)
  spendBytes(values.length * entryBytes)
  for (let n = 0; n + 1 < values.length; ) {
    const first = file.readNumber(values[n]) ?? 0
    const second = file.resolve(values[n + 1])
    if (Array.isArray(second)) {
      spend(second.length * 20)
      spendBytes(second.length * entryBytes)
      for (const [offset, width] of second.entries())
        widths.set(first + offset, (file.readNumber(width) ?? 0) / 1000)
      n += 2
    } else {
      if (typeof second === 'number')
        ranges.push({ from: first, to: second, width: (file.readNumber(values[n + 2]) ?? 0) / 1000 })
      n += 3
    }
  }
  return (code) => {
    spend(ranges.length)
    return widths.get(code) ?? ranges.find(({ from, to }) => code >= from && code <= to)?.width ?? fallback
  }
}

/** Read the encoding of a simple font: a base, and the names of glyphs that differ. */
function readEncoding(file: PdfFile, value: PdfValue | undefined): (code: number) => string {
  const encoding = file.resolve(value)
  const base = isName(encoding)
    ? encoding.name
    : encoding instanceof Map
      ? file.readName(encoding.get('BaseEncoding'))
      : undefined
  const decoder = new TextDecoder(base === 'MacRomanEncoding' ? 'macintosh' : 'windows-1252')
  const differences = new Map<number, string>()
  const values = encoding instanceof Map ? file.readArray(encoding.get('Differences')) : []
  spend(values.length * 20)
  spendBytes(values.length * entryBytes)
  let code = 0
  for (const item of values) {
    const difference = file.resolve(item)
    if (typeof difference === 'number') code = difference
    else if (isName(difference)) differences.set(code++, difference.name)
  }
  return (wanted) => {
    const name = differences.get(wanted)
    return name === undefined ? decoder.decode(Uint8Array.of(wanted)) : readGlyphName(name)
  }
}

const accents: Record<string, string> = {
  grave: '\u0300',
  acute: '\u0301',
  circumflex: '\u0302',
  tilde: '\u0303',
  macron: '\u0304',
  breve: '\u0306',
  dotaccent: '\u0307',
  dieresis: '\u0308',
  ring: '\u030a',
  hungarumlaut: '\u030b',
  caron: '\u030c',
  cedilla: '\u0327',
  ogonek: '\u0328',
}
// Names of the Adobe Glyph List that are no letter with an accent:
// https://github.com/adobe-type-tools/agl-aglfn
const glyphNames = new Map(
  `exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright ) asterisk * plus + comma , hyphen -
  period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @
  bracketleft [ backslash \\ bracketright ] asciicircum ^ underscore _ grave \` braceleft { bar | braceright } asciitilde ~ quoteleft ‘ quoteright ’
  quotedblleft “ quotedblright ” quotesinglbase ‚ quotedblbase „ guillemotleft « guillemotright » guilsinglleft ‹ guilsinglright › endash – emdash —
  bullet • ellipsis … dagger † daggerdbl ‡ fi fi fl fl ff ff ffi ffi ffl ffl germandbls ß AE Æ ae æ OE Œ oe œ Oslash Ø oslash ø Lslash Ł lslash ł
  dotlessi ı Eth Ð eth ð Thorn Þ thorn þ exclamdown ¡ questiondown ¿ cent ¢ sterling £ yen ¥ Euro € section § copyright © registered ® trademark ™
  degree ° plusminus ± multiply × divide ÷ mu µ paragraph ¶ periodcentered · onequarter ¼ onehalf ½ threequarters ¾ minus − arrowright → arrowleft ←
  arrowup ↑ arrowdown ↓ notequal ≠ lessequal ≤ greaterequal ≥ infinity ∞`
    .split(/[ \n]+/)
    .flatMap((name, place, all) => (place % 2 === 0 ? [[name, all[place + 1] ?? '']] : [])) as [
    string,
    string,
  ][],
)

/**
 * Read the name of a glyph: what follows a period is a variant, and parts between underscores are the letters of a
 * ligature (https://github.com/adobe-type-tools/agl-specification#2-the-mapping).
 */
const readGlyphName = (name: string): string =>
  name.slice(0, maxNameLength).replace(/\..*$/s, '').split('_').map(readGlyphPart).join('')

function readGlyphPart(name: string): string {
  if (name === 'space') return ' '
  const known = glyphNames.get(name)
  if (known !== undefined) return known
  if (name.length === 1) return name
  // Several letters may follow `uni`.
  const units = /^uni((?:[\dA-F]{4})+)/.exec(name)?.[1]
  const hexes = units?.match(/.{4}/g) ?? /^u([\dA-F]{4,6})/.exec(name)?.slice(1) ?? []
  const codePoints = hexes.map((hex) => Number.parseInt(hex, 16))
  if (codePoints.length > 0 && codePoints.every((codePoint) => codePoint <= 0x10ffff))
    return codePoints
      .map((codePoint) => String.fromCodePoint(codePoint))
      .join('')
      .toWellFormed()
  const accent = accents[name.slice(1)]
  return accent ? `${name[0]}${accent}`.normalize('NFC') : ''
}
