import type { JudgedPlaceholder } from './placeholders.ts'

// A parser reads a script in which markers of the same length stand for the placeholders, so that all
// positions stay.

/**
 * The characters of a marker: of a quoted literal, and of a number. No script that is judged contains them.
 */
export const textMark = '\u{f8fd}'
export const numberMark = '\u{f8fe}'
const marks = /[\u{f8fd}\u{f8fe}]/u

export interface MarkedScript {
  text: string
  /** The placeholders by the position of the first mark of their marker. */
  placeholderByMark: ReadonlyMap<number, JudgedPlaceholder>
}

/**
 * Replace the placeholders by markers. `isQuotable` tells whether a quote would open a literal there. Return
 * undefined if the script has marks.
 */
export function markPlaceholders(
  script: string,
  placeholders: readonly JudgedPlaceholder[],
  quote: string,
  isQuotable: (before: string, placeholder: JudgedPlaceholder) => boolean,
): MarkedScript | undefined {
  if (marks.test(script)) return undefined
  const placeholderByMark = new Map<number, JudgedPlaceholder>()
  let text = ''
  for (const placeholder of placeholders) {
    const { start, end, isQuoted } = placeholder
    const before = script.slice(text.length, start)
    text += before
    const isLiteral = isQuoted && isQuotable(script.slice(Math.max(0, start - maxBefore), start), placeholder)
    if (isQuoted) placeholderByMark.set(isLiteral ? start + 1 : start, placeholder)
    const mark = isQuoted ? textMark : numberMark
    text += isLiteral ? quote + mark.repeat(end - start - 2) + quote : mark.repeat(end - start)
  }
  return { text: text + script.slice(text.length), placeholderByMark }
}

/** How many characters before a placeholder decide whether a quote opens a literal. */
const maxBefore = 100

/** Return the placeholders whose markers a text at a position contains. */
export function findMarked(
  { placeholderByMark }: MarkedScript,
  text: string,
  position: number,
): JudgedPlaceholder[] {
  return [...text.matchAll(/\u{f8fd}+/gu)].flatMap(
    ({ index }) => placeholderByMark.get(position + index) ?? [],
  )
}
