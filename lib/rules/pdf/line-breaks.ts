import type { Glyph } from './glyph.ts'

// A line may break before and after Chinese, Japanese and Korean characters.
export const ideograph =
  /[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u31a0-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\u{20000}-\u{2fffd}]/u
// A line must not begin with closing punctuation.
export const closingPunctuation =
  /^[\u3001\u3002\uff0c\uff0e\uff01\uff09\uff1a\uff1b\uff1f\u300d\u300f\u3011\u2019\u201d)\]}.,;:!?ー々]/

/** Thai, Lao, Myanmar and Khmer, which have no spaces between words. */
const unspacedScript = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/

export function getLineBreak(character: string): Glyph['lineBreak'] {
  if (character === ' ') return 'space'
  return ideograph.test(character) || /[-\u2010\u2013/]/.test(character) ? 'after' : null
}

/** Allow lines to end between the words of scripts without spaces. `text` is the text of all glyphs. */
export function addWordBreaks(glyphs: readonly Glyph[], text: string): void {
  if (!unspacedScript.test(text)) return
  const wordEnds = new Set<number>()
  for (const { index, segment } of new Intl.Segmenter('th', { granularity: 'word' }).segment(text))
    wordEnds.add(index + segment.length)
  let end = 0
  for (const glyph of glyphs) {
    end += glyph.sourceLength
    if (glyph.lineBreak === null && wordEnds.has(end) && unspacedScript.test(text.charAt(end - 1)))
      glyph.lineBreak = 'after'
  }
}
