/** Return a text in lower case, with only letters, digits and single spaces. */
export function normaliseWords(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/**
 * Return the groups of three characters of a text's words, as pg_trgm does:
 * https://www.postgresql.org/docs/18/pgtrgm.html.
 */
function listTrigrams(text: string): Set<string> {
  const padded = normaliseWords(text)
    .split(' ')
    .filter(Boolean)
    .map((word) => Array.from(`  ${word} `))
  return new Set(
    padded.flatMap((characters) =>
      characters.slice(2).map((_, index) => characters.slice(index, index + 3).join('')),
    ),
  )
}

/** Return how alike two texts are, from 0 to 1: the share of their trigrams that both have. */
export function measureSimilarity(a: string, b: string): number {
  const [left, right] = [listTrigrams(a), listTrigrams(b)]
  const shared = [...left].filter((trigram) => right.has(trigram)).length
  return shared === 0 ? 0 : shared / (left.size + right.size - shared)
}
