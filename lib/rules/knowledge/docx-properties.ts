import { listStyles, type Style } from './docx-parts.ts'

// What the properties of runs and paragraphs mean.

/** How the characters of a run look. Null leaves it to the styles. */
export interface Run {
  styleId: string
  isStruck: boolean | null
  isHidden: boolean | null
  raised: 'superscript' | 'subscript' | null
}

export const plainRun: Run = { styleId: '', isStruck: null, isHidden: null, raised: null }

/**
 * Return why the text of a run is not read, or null. What the style of its paragraph switches on, the style of
 * the run switches off again: ECMA-376, part 1, 17.7.3.
 */
export function findLossOfRun(
  run: Run,
  paragraphStyleId: string,
  styles: ReadonlyMap<string, Style>,
): 'struck' | 'hidden' | null {
  const isSwitchedOn = (name: 'isStruck' | 'isHidden') => {
    const [ofParagraph, ofRun] = [paragraphStyleId, run.styleId].map(
      (id) => listStyles(styles, id).find((style) => style[name] !== null)?.[name] ?? false,
    )
    return run[name] ?? ofParagraph !== ofRun
  }
  return isSwitchedOn('isHidden') ? 'hidden' : isSwitchedOn('isStruck') ? 'struck' : null
}

/** Characters of the fonts Symbol and Wingdings, which have places of their own, also among other letters. */
const symbols: Record<string, string> = {
  F0E0: '→',
  F0DF: '←',
  F0E8: '➔',
  F0FC: '✓',
  F0FB: '✗',
  F0FE: '☑',
  F0FD: '☒',
  F0A8: '☐',
  F06F: '☐',
  F071: '☐',
  F072: '☐',
  F078: '☒',
  F0B7: '•',
  F0A7: '•',
  F0D8: '➢',
  F04A: '☺',
}

/** Return the sign of a symbol, by its code in hexadecimal digits. */
export const findSymbol = (code: string): string | undefined => symbols[code.toUpperCase()]

/** Replace the symbols in a text by their signs. */
export const replaceSymbols = (text: string): string =>
  text.replace(/[\uf020-\uf0ff]/g, (char) => findSymbol(char.charCodeAt(0).toString(16)) ?? char)

/** Return the level of a heading, or 0. Markdown has six levels. */
export function findHeadingLevel(
  outlineLevel: number | null,
  styles: readonly Style[],
  names: readonly string[],
): number {
  const byName = names
    .map((name) => (name === 'title' ? 1 : Number(/^heading ?([1-6])/.exec(name)?.[1] ?? 0)))
    .find(Boolean)
  const level =
    outlineLevel ?? byName ?? styles.map((style) => style.outlineLevel).find((own) => own !== null) ?? 0
  return level > 6 ? 0 : level
}
