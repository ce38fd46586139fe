/** A LIKE pattern that finds `text` anywhere and takes none of its characters for a wildcard. */
export function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`
}

/** One pattern per word of a search, in lower case: all must match. */
export function containsWords(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10).map(contains)
}
