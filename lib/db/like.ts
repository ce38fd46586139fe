/** Return a LIKE pattern that matches `text` anywhere. Its wildcard characters are escaped. */
export function toContainsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`
}

/** Return one lower-case pattern per word of a search, at most ten. All must match. */
export function toWordPatterns(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10).map(toContainsPattern)
}
