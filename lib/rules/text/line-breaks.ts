/** So many characters are replaced at once, because a replacement keeps all its matches in memory. */
const chunkLength = 4096

/** Replace \r\n and \r with \n. */
export function normaliseLineBreaks(text: string): string {
  if (!text.includes('\r')) return text
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    const next = start + chunkLength
    const end = text[next - 1] === '\r' && text[next] === '\n' ? next + 1 : next
    parts.push(text.slice(start, end).replace(/\r\n?/g, '\n'))
    start = end
  }
  return parts.join('')
}
