import type { XmlAttributes } from '#rules/text/walk-xml.ts'
import type { Style } from './docx-parts.ts'

// What the properties of runs and paragraphs mean.

/** How the characters of a run look. */
export interface Run {
  isStruck: boolean
  isHidden: boolean
  raised: 'superscript' | 'subscript' | null
}

export const plainRun: Run = { isStruck: false, isHidden: false, raised: null }

/** Whether a property is switched on, as it is without a value. */
export function isOn(attributes: XmlAttributes): boolean {
  return !/^(?:0|false|off)$/.test(attributes['w:val'] ?? '')
}

/** Characters of the fonts Symbol and Wingdings, which have places of their own. */
export const symbols: Record<string, string> = {
  F0E0: '→',
  F0DF: '←',
  F0E8: '➔',
  F0FC: '✓',
  F0FB: '✗',
  F0FE: '☑',
  F0FD: '☒',
  F0A8: '☐',
  F06F: '☐',
  F0B7: '•',
  F0A7: '•',
  F0D8: '➢',
  F04A: '☺',
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
