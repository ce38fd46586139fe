import type { Look, Style, Styles } from './docx-parts.ts'

// What the properties of runs and paragraphs mean.

/** How the characters of a run look. Null leaves it to the styles. */
export interface Run extends Look {
  styleId: string
  raised: 'superscript' | 'subscript' | null
}

export const plainRun: Run = { styleId: '', isStruck: null, isHidden: null, raised: null }

/**
 * Return why the text of a run is not read, or null. What the style of its paragraph switches on, the style of
 * the run or of its table switches off again, but not what holds beside all styles: ECMA-376, part 1, 17.7.3.
 */
export function findLossOfRun(
  run: Run,
  paragraphStyleId: string,
  /** Null outside of a table. */
  tableStyleId: string | null,
  { byId, ofType, defaults }: Styles,
): 'struck' | 'hidden' | null {
  const find = (type: string, id: string) => byId.get(id) ?? ofType.get(type)
  const styles = [
    find('paragraph', paragraphStyleId),
    find('character', run.styleId),
    tableStyleId === null ? undefined : find('table', tableStyleId),
  ]
  const isSwitchedOn = (name: keyof Look) =>
    run[name] ?? (defaults[name] || styles.filter((style) => style?.[name]).length % 2 === 1)
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
