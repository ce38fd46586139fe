import { fold, toReadForm } from './fold.ts'

/** Return the folded words of a text, with single spaces between them. */
export const normaliseWords = (text: string): string =>
  fold(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()

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
/** File systems take 255 bytes, and a name is followed by an id and an extension. */
const maxSlugBytes = 180
/**
 * Names of devices, which Windows takes for no file, also with an extension:
 * https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
 */
const deviceName = /^(?:con|prn|aux|nul|(?:com|lpt)\d)$/

/**
 * Return the words of a name in lower case with hyphens between them, for file names and addresses. Letters of
 * every script stay. `kind` says what is named, if no word is left.
 */
export function createSlug(name: string, kind: string): string {
  const words = toReadForm(name)
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .map((word) => word.replace(/^\p{M}+/u, ''))
    .filter(Boolean)
  const line = Array.from(words.join('-')).slice(0, maxSlugLength).join('')
  const { read } = new TextEncoder().encodeInto(line, new Uint8Array(maxSlugBytes))
  const slug = line.slice(0, read).replace(/-$/, '')
  if (slug === '') return kind
  return deviceName.test(slug) ? `${kind}-${slug}` : slug
}
