import { fold } from '#rules/text/fold.ts'

/** Return a LIKE pattern that matches a text anywhere in a column of `app.fold`. Wildcard characters are escaped. */
export function toFoldedPattern(text: string): string {
  return `%${fold(text).replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`
}

/** Return one pattern per word of a search for a column of `app.fold`, at most ten. All must match. */
export function toWordPatterns(search: string): string[] {
  return fold(search).split(/\s+/).filter(Boolean).slice(0, 10).map(toFoldedPattern)
}
