/** Convert a text to one line. Cut it after 70 characters and append an ellipsis if it was longer. */
export function toSnippet(text: string): string {
  const line = Array.from(text.replace(/\s+/g, ' ').trim())
  return line.length > 70 ? `${line.slice(0, 70).join('')}…` : line.join('')
}
