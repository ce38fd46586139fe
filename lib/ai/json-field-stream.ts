/**
 * Follows one top-level text property of a JSON object that arrives in pieces, and passes on what it grows by. Takes any way the pieces are
 * cut, also through an escape; what is no JSON is passed over in silence, since the whole is checked at its end.
 */
export function growingField(field: string, onText: (delta: string) => void): (piece: string) => void {
  const seek = new RegExp(`^\\s*\\{\\s*${JSON.stringify(field)}\\s*:\\s*"`)
  let text = ''
  let at = -1
  let ended = false
  return (piece) => {
    if (ended) return
    text += piece
    if (at < 0) {
      const opened = seek.exec(text)
      if (!opened) {
        ended = text.length > 1000
        return
      }
      at = opened[0].length
    }
    const end = endOfWhole(text, at)
    ended = text[end] === '"'
    const grown = text.slice(at, end)
    at = end
    if (grown !== '') tell(grown, onText)
  }
}

function tell(escaped: string, onText: (delta: string) => void): void {
  try {
    onText(JSON.parse(`"${escaped}"`))
  } catch {
    // No JSON text after all.
  }
}

/** Where the text ends at its quote, or as far as its characters are complete. */
function endOfWhole(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') {
    const length = text[at] === '\\' ? (text[at + 1] === 'u' ? 6 : 2) : 1
    if (at + length > text.length) return at
    // Half a surrogate pair waits for its other half.
    if (isHighHalf(text, at) && at + length * 2 > text.length) return at
    at += length
  }
  return at
}

function isHighHalf(text: string, at: number): boolean {
  const code = text.startsWith('\\u', at) ? Number.parseInt(text.slice(at + 2, at + 6), 16) : text.charCodeAt(at)
  return code >= 0xd800 && code < 0xdc00
}
