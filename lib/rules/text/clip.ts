/** Cut a text to `max` characters, the last one an ellipsis. Never split a character. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  // A character has at most two code units, and a list of all of a long text would cost more than the rest.
  const characters = Array.from(text.slice(0, 2 * max + 1))
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}

/**
 * Keep the last `max` characters of a text, the first one an ellipsis if it is cut. Never split a character.
 */
export function clipStart(text: string, max: number): string {
  if (text.length <= max) return text
  const characters = Array.from(text.slice(-2 * max - 1))
  return characters.length <= max ? text : `…${characters.slice(1 - max).join('')}`
}

/**
 * Return the start of a text, at most `max` UTF-16 units long. Half a character at its end would make JSON
 * that strict readers refuse.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const isPair = /[\ud800-\udbff]/.test(text[max - 1] ?? '') && /[\udc00-\udfff]/.test(text[max] ?? '')
  return text.slice(0, isPair ? max - 1 : max)
}
