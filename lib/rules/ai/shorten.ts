/** Cut a text after `max` characters and add an ellipsis. Never split a surrogate pair. */
export function shorten(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : text
}
