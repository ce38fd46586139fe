const stopWords = new Set(
  'about after all and any are because before but can cannot could did does for from get had has have her his how into is it its just more most my no not now off on only or other our out over please she should some still than that the their them then they this through to under up was we were what when where which while who why will with would you your says since today client user users customer ticket issue problem help need'.split(
    ' ',
  ),
)

/** Extract the significant words of a text: in lower case, without stop words, and stemmed. */
export function extractWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'-]+/gu) ?? [])
    .filter((word) => !stopWords.has(word))
    .map((word) => word.replace(/(?<=\p{L}{3})(?:ations?|ings?|ers?|ed|es|'?s)$/u, ''))
}

/** Return the index of the text that shares most words with a query, or -1 if none shares any. */
export function findBestIndex(query: string, texts: readonly string[]): number {
  const words = new Set(extractWords(query))
  const counts = texts.map((text) => new Set(extractWords(text).filter((word) => words.has(word))).size)
  const best = Math.max(0, ...counts)
  return best === 0 ? -1 : counts.indexOf(best)
}

/**
 * Put a text on one line and cut it after a word if it is longer than `max`. Add an ellipsis, and never split
 * a surrogate pair.
 */
export function truncate(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= max) return line
  const prefix = line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')
  return `${prefix.replace(/\s+\S*$/, '')}…`
}

/** Split a text into trimmed sentences and lines. */
export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter(Boolean)
}
