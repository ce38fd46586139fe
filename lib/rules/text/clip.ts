/** Cut a text to `max` characters, the last one an ellipsis. Never split a character. */
export function clip(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
