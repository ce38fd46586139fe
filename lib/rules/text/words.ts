/**
 * What a reader may leave out or does not see: accents, points of Hebrew and marks of Arabic, the tatweel,
 * soft hyphens, zero-width characters and direction controls.
 */
const unread =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g
/** Letters with a stroke and the like, which Unicode does not decompose, typographic apostrophes and dashes. */
const plainLetters: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  ŋ: 'n',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  þ: 'th',
  '’': "'",
  '‘': "'",
  ʼ: "'",
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '―': '-',
  '−': '-',
}

/**
 * Return a text in lower case without what `unread` matches, and with full forms of wide and narrow
 * characters: "Müller" and "Muller" are the same word, "Łódź" and "lodz" too. The function app.fold of the
 * database gives the same.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(unread, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[łøđðħıŧŋςæœßþ’‘ʼ‐‑‒–—―−]/g, (letter) => plainLetters[letter] ?? letter)
}

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
  const paddedWords = normaliseWords(text)
    .split(' ')
    .filter(Boolean)
    .map((word) => Array.from(`  ${word} `))
  return new Set(
    paddedWords.flatMap((characters) =>
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

const maxSlugLength = 80

/**
 * Return a name as lower-case ASCII words with hyphens between them, for file names and addresses. It is
 * `flow` if no word is left.
 */
export function createSlug(name: string): string {
  const withoutAccents = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = withoutAccents.split(/[^a-z0-9]+/).filter(Boolean)
  return words.join('-').slice(0, maxSlugLength).replace(/-$/, '') || 'flow'
}
