const plain =
  'a about after again all also am an and any are as at be because been before but by can cannot could did do does doing done down each for from get gets got had has have he her here him his how i if in into is it its just me more most my no not now of off on once only or other our out over own please she should so some still than that the their them then there they this those through to too under until up us very was we were what when where which while who why will with would you your says said since today yesterday morning client user users customer ticket issue problem help need needs'
const stop = new Set(plain.split(' '))

/** The words that carry a text's meaning, in their order: small letters, without the commonest endings. */
export function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [])
    .map((word) => word.replace(/'s?$/, ''))
    .filter((word) => word.length > 1 && !stop.has(word))
    .map(stem)
}

function stem(word: string): string {
  if (word.length < 5 || /\d/.test(word)) return word
  return word.replace(/(?:ies)$/, 'y').replace(/(?:ations?|ings?|ers?|ed|es|s)$/, '')
}

/** How well each text answers the question (BM25): 0 where no word is shared. */
export function scores(question: string, texts: readonly string[]): number[] {
  const asked = new Set(wordsOf(question))
  const counted = texts.map((text) => {
    const counts = new Map<string, number>()
    const words = wordsOf(text)
    for (const word of words) if (asked.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
    return { counts, length: words.length }
  })
  const mean = counted.reduce((sum, { length }) => sum + length, 0) / (texts.length || 1) || 1
  return counted.map(({ counts, length }) => {
    let score = 0
    for (const [word, count] of counts) {
      const having = counted.filter((other) => other.counts.has(word)).length
      const rarity = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))
      score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean))
    }
    return score
  })
}

/** The place of the best text, or -1 when none shares a word. */
export function bestOf(question: string, texts: readonly string[]): number {
  const found = scores(question, texts)
  const best = Math.max(0, ...found)
  return best === 0 ? -1 : found.indexOf(best)
}

/** A text cut at a word's end, never within a character, with an ellipsis where something is left out. */
export function cut(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= max) return line
  const whole = line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')
  return `${whole.replace(/\s+\S*$/, '')}…`
}

/** Sentences and lines of a text, trimmed. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter(Boolean)
}
