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
