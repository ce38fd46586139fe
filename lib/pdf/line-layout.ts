import bidiFactory from 'bidi-js'
import { shapeArabic } from './arabic.ts'
import { extentOf } from './font-subset.ts'
import type { Fonts, Order } from './fonts.ts'

const bidi = bidiFactory()

/** One glyph of a line: what it stands for, and where. Widths and places are in thousandths of the size. */
export interface Glyph {
  text: string
  font: number
  id: number
  width: number
  level: number
  x: number
  breaks: 'space' | 'after' | null
  mark: boolean
}
export interface Line {
  /** In the order of reading. */
  glyphs: Glyph[]
  width: number
  rtl: boolean
}

/** What stands for a character that no font has. */
const missing = 0x25a1
const isMark = /^\p{M}/u
// Han, kana and hangul may end a line anywhere, but before what closes.
const isIdeograph =
  /[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u31a0-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\u{20000}-\u{2fffd}]/u
const closes = /^[\u3001\u3002\uff0c\uff0e\uff01\uff09\uff1a\uff1b\uff1f\u300d\u300f\u3011\u2019\u201d)\]}.,;:!?ー々]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ufe00-\ufe0f]/g

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A text as it is shown: composed, without what shows nothing. */
export function visible(text: string): string {
  return text.normalize('NFC').replace(/\t/g, '    ').replace(unseen, '').toWellFormed()
}

/** The characters that showing a text takes. */
export function charactersOf(text: string, into: Set<number>): void {
  into.add(missing).add(0x20)
  for (const { code, text: letters } of shapeArabic(visible(text))) {
    into.add(code)
    for (const letter of letters) into.add(letter.codePointAt(0) ?? 0)
  }
}

/** Breaks one line of text into lines of a width, in thousandths of the size. */
export function layOut(fonts: Fonts, text: string, order: Order, width: number): Line[] {
  const shown = visible(text)
  const turns = rightToLeft.test(shown) ? bidi.getEmbeddingLevels(shown, 'auto') : null
  const levels = turns?.levels ?? new Uint8Array(shown.length)
  const base = turns?.paragraphs[0]?.level ?? 0
  const glyphs = glyphsOf(fonts, shown, levels, order)
  return wrapped(glyphs, width, order === 'mono').map((line) => placed(line, base))
}

function glyphsOf(fonts: Fonts, shown: string, levels: Uint8Array, order: Order): Glyph[] {
  const glyphs: Glyph[] = []
  let at = 0
  for (const { text, code } of shapeArabic(shown)) {
    const level = levels[at] ?? 0
    at += text.length
    const mirrored = level & 1 ? bidi.getMirroredCharacter(text)?.codePointAt(0) : undefined
    glyphs.push(glyphOf(fonts, text, mirrored ?? code, level, order, glyphs.at(-1)))
  }
  return glyphs
}

function glyphOf(fonts: Fonts, text: string, code: number, level: number, order: Order, before: Glyph | undefined): Glyph {
  const mark = isMark.test(text)
  const breaks = text === ' ' ? 'space' : isIdeograph.test(text) || /[-\u2010\u2013/]/.test(text) ? 'after' : null
  const silent = code === 0 || /[\u200c\u200d]/.test(text)
  // A space, a mark or a sign is taken from the font of what stands before it, so that a run stays one.
  const same = before && (breaks === 'space' || mark || silent) ? fonts.slice(before.font).glyphs.get(silent ? 0x20 : code) : undefined
  if (same && before) return { text, font: before.font, id: same.id, width: mark ? 0 : silent ? 40 : same.width, level, x: 0, breaks, mark }
  const found = fonts.find(code, order) ?? fonts.find(text.codePointAt(0) ?? 0, order)
  const glyph = found?.slice.glyphs.get(code) ?? found?.slice.glyphs.get(text.codePointAt(0) ?? 0)
  if (found && glyph) return { text, font: found.index, id: glyph.id, width: mark ? 0 : glyph.width, level, x: 0, breaks, mark }
  const box = fonts.find(missing, order) as NonNullable<ReturnType<Fonts['find']>>
  const sign = box.slice.glyphs.get(missing) as { id: number; width: number }
  return { text: String.fromCodePoint(missing), font: box.index, id: sign.id, width: sign.width, level, x: 0, breaks, mark: false }
}

/** Greedy: a line ends at the last place where it may, and a word that is longer than a line anywhere. Code keeps its spaces. */
function wrapped(glyphs: readonly Glyph[], width: number, keepSpaces: boolean): Glyph[][] {
  const lines: Glyph[][] = []
  let start = 0
  let mayEnd = 0
  let used = 0
  for (let n = 0; n < glyphs.length; n++) {
    const glyph = glyphs[n] as Glyph
    used += glyph.width
    if (used > width && n > start && (glyph.breaks !== 'space' || keepSpaces)) {
      const end = mayEnd > start ? mayEnd : n
      lines.push(glyphs.slice(start, end))
      start = end
      used = 0
      for (let k = start; k <= n; k++) used += glyphs[k]?.width ?? 0
    }
    const next = glyphs[n + 1]
    const held = next !== undefined && (next.mark || closes.test(next.text))
    if (glyph.breaks !== null && !held) mayEnd = n + 1
    else if (next && isIdeograph.test(next.text) && !held) mayEnd = n + 1
  }
  lines.push(glyphs.slice(start))
  return lines
}

/** Places a line's glyphs from left to right; they stay in the order of reading. */
function placed(glyphs: Glyph[], base: number): Line {
  let trailing = glyphs.length
  while (trailing > 0 && glyphs[trailing - 1]?.breaks === 'space') trailing--
  for (let n = trailing; n < glyphs.length; n++) (glyphs[n] as Glyph).level = base
  let x = 0
  for (const glyph of visualOrder(glyphs.slice(0, trailing))) {
    glyph.x = x
    x += glyph.width
  }
  const width = x
  for (const glyph of glyphs.slice(trailing)) {
    glyph.x = base & 1 ? -glyph.width : x
    if (!(base & 1)) x += glyph.width
  }
  return { glyphs, width, rtl: (base & 1) === 1 }
}

/** Rule L2 of the bidirectional algorithm: from the highest level down, each stretch of it and above is turned round. */
function visualOrder(glyphs: readonly Glyph[]): Glyph[] {
  const order = [...glyphs]
  const highest = glyphs.reduce((most, { level }) => Math.max(most, level), 0)
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < order.length; from++) {
      if ((order[from]?.level ?? 0) < level) continue
      let to = from
      while (to < order.length && (order[to]?.level ?? 0) >= level) to++
      order.splice(from, to - from, ...order.slice(from, to).reverse())
      from = to
    }
  }
  return order
}

/** Puts marks over the middle of what they belong to; the fonts' own rules for that are not read. */
export function settleMarks(fonts: Fonts, { glyphs }: Line): void {
  let base: Glyph | undefined
  for (const glyph of glyphs) {
    if (!glyph.mark) base = glyph
    else if (base) {
      const [left, right] = extentOf(fonts.slice(glyph.font), glyph.id)
      // Readers take a longer way back for the beginning of another text.
      glyph.x = base.x + Math.max(-180, Math.min(180, (base.width - left - right) / 2))
    }
  }
}
