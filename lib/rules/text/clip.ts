/** Cut a text to `max` characters, the last one an ellipsis. Never split a character. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  // A character has at most two code units, and a list of all of a long text would cost more than the rest.
  const characters = Array.from(text.slice(0, 2 * max + 1))
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
