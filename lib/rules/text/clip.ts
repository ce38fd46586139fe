const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/** Cut a text to `max` characters, the last one an ellipsis. Never split a character. */
export function clip(text: string, max: number): string {
  if (text.length <= max || findEnd(text, max) === text.length) return text
  return `${text.slice(0, findEnd(text, max - 1))}…`
}

/**
 * Keep the last `max` characters of a text, the first one an ellipsis if it is cut. Never split a character.
 */
export function clipStart(text: string, max: number): string {
  if (text.length <= max || findStart(text, max) === 0) return text
  return `…${text.slice(findStart(text, max - 1))}`
}

/** Return where the first `count` characters end. */
function findEnd(text: string, count: number): number {
  let end = 0
  for (let n = 0; n < count && end < text.length; n++) end += isPair(text, end) ? 2 : 1
  return end
}

/** Return where the last `count` characters start. */
function findStart(text: string, count: number): number {
  let start = text.length
  for (let n = 0; n < count && start > 0; n++) start -= isPair(text, start - 2) ? 2 : 1
  return start
}

const isPair = (text: string, at: number): boolean =>
  isFirstHalf(text.charCodeAt(at)) && isSecondHalf(text.charCodeAt(at + 1))

/**
 * Return the start of a text, at most `max` UTF-16 units long. Half a character at its end would make JSON
 * that strict readers refuse.
 */
export const cut = (text: string, max: number): string =>
  text.slice(0, text.length > max && isPair(text, max - 1) ? max - 1 : max)
