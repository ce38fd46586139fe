// ConnectWise's condition language. Every value is written here, so that none can end its literal.

/** Write a text as a literal: escape quotes and backslashes, and remove control characters. */
export function toLiteral(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
  return `"${value.replace(/[\u0000-\u001f\u007f]/g, '').replace(/["\\]/g, (mark) => `\\${mark}`)}"`
}

/** Write ids as a list of numbers. Other texts are dropped; an empty list matches nothing. */
export function toIdList(ids: readonly string[]): string {
  const numbers = ids.filter((id) => /^\d{1,15}$/.test(id))
  return `(${numbers.length > 0 ? numbers.join(',') : '0'})`
}

/** Join conditions with `and`; false and undefined are skipped. */
export function joinConditions(...conditions: (string | false | undefined)[]): string {
  return conditions.filter(Boolean).join(' and ')
}

/** Write a condition that a text field contains every word. No words match everything. */
export function containsAll(field: string, words: readonly string[]): string | false {
  return words.length > 0 && words.map((word) => `${field} contains ${toLiteral(word)}`).join(' and ')
}
