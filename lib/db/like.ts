import { fold } from '#rules/text/words.ts'

/** Return a LIKE pattern that matches `text` anywhere. Its wildcard characters are escaped. */
export function toContainsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`
}

/** Return one pattern per word of a search for a column of `app.fold`, at most ten. All must match. */
export function toWordPatterns(search: string): string[] {
  return fold(search).split(/\s+/).filter(Boolean).slice(0, 10).map(toContainsPattern)
}
