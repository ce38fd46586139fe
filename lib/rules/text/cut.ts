/**
 * Return the start of a text, at most `max` UTF-16 units long. Half a character at its end would make JSON
 * that strict readers refuse.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const isPair = /[\ud800-\udbff]/.test(text[max - 1] ?? '') && /[\udc00-\udfff]/.test(text[max] ?? '')
  return text.slice(0, isPair ? max - 1 : max)
}
