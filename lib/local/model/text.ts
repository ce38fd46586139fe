const stopWords = new Set(
  'a about after again all also am an and any are as at be because been before but by can cannot could did do does doing done down each for from get gets got had has have he her here him his how i if in into is it its just me more most my no not now of off on once only or other our out over own please she should so some still than that the their them then there they this those through to too under until up us very was we were what when where which while who why will with would you your says said since today yesterday morning client user users customer ticket issue problem help need needs'.split(
    ' ',
  ),
)

/** Extract the significant words of a text in order: in lower case, without stop words, and stemmed. */
export function extractWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [])
    .map((word) => word.replace(/'s?$/, ''))
    .filter((word) => word.length > 1 && !stopWords.has(word))
    .map(stemWord)
}

/** Remove the most common English endings of a word. */
function stemWord(word: string): string {
  if (word.length < 5 || /\d/.test(word)) return word
  return word.replace(/(?:ies)$/, 'y').replace(/(?:ations?|ings?|ers?|ed|es|s)$/, '')
}

/**
 * Score how well each text matches a query, with BM25. A text that shares no word with the query scores 0.
 */
export function scoreTexts(query: string, texts: readonly string[]): number[] {
  const queryWords = new Set(extractWords(query))
  const documents = texts.map((text) => {
    const counts = new Map<string, number>()
    const words = extractWords(text)
    for (const word of words) if (queryWords.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
    return { counts, length: words.length }
  })
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / (texts.length || 1) || 1
  return documents.map(({ counts, length }) => {
    let score = 0
    for (const [word, count] of counts) {
      const documentFrequency = documents.filter((document) => document.counts.has(word)).length
      const rarity = Math.log(1 + (texts.length - documentFrequency + 0.5) / (documentFrequency + 0.5))
      score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / meanLength))
    }
    return score
  })
}

/** Return the index of the text that matches a query best, or -1 if none shares a word with it. */
export function findBestIndex(query: string, texts: readonly string[]): number {
  const scores = scoreTexts(query, texts)
  const best = Math.max(0, ...scores)
  return best === 0 ? -1 : scores.indexOf(best)
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
