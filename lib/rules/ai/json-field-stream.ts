import { createThoughtFilter } from './answer-text.ts'

// A model that explains its answer first takes less.
const maxPreamble = 4000

/**
 * Follow the first property of a JSON object that arrives in pieces, and pass on each new part of its text. A
 * piece may end anywhere, also inside an escape. Thoughts, words and a fence before the object are not passed
 * on. Text that is not JSON is ignored, because the whole answer is checked at its end.
 */
export function streamJsonField(field: string, onText: (delta: string) => void): (piece: string) => void {
  // Bounded: it is tried at the start of an answer only.
  const seek = new RegExp(`^[^{]*\\{\\s*${JSON.stringify(field)}\\s*:\\s*"`)
  const dropThoughts = createThoughtFilter()
  let text = ''
  let at = -1
  let hasEnded = false
  return (piece) => {
    if (hasEnded) return
    text += dropThoughts(piece)
    if (at < 0) {
      const opening = seek.exec(text)
      if (!opening) {
        hasEnded = text.length > maxPreamble
        return
      }
      at = opening[0].length
    }
    const end = findEndOfCompleteText(text, at)
    hasEnded = text[end] === '"'
    const added = text.slice(at, end)
    at = end
    if (added !== '') passOn(added, onText)
  }
}

function passOn(escaped: string, onText: (delta: string) => void): void {
  try {
    onText(JSON.parse(`"${escaped}"`))
  } catch {
    // Not a JSON text. The whole answer is checked later.
  }
}

/** Return the offset of the closing quote, or the offset after the last complete character. */
function findEndOfCompleteText(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') {
    const length = text[at] === '\\' ? (text[at + 1] === 'u' ? 6 : 2) : 1
    if (at + length > text.length) return at
    // Wait for the second half of a surrogate pair.
    if (isHighSurrogate(text, at) && at + length * 2 > text.length) return at
    at += length
  }
  return at
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.startsWith('\\u', at)
    ? Number.parseInt(text.slice(at + 2, at + 6), 16)
    : text.charCodeAt(at)
  return code >= 0xd800 && code < 0xdc00
}
