// ConnectWise's condition language. Values enter it here alone, so that none of them can end its literal.

/** A text as a literal: what would end it or begin an escape is escaped, and control characters are left out. */
export function literal(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  return `"${value.replace(/[\u0000-\u001f\u007f]/g, '').replace(/["\\]/g, (mark) => `\\${mark}`)}"`
}

/** Ids as a list of numbers; whatever is none is dropped, and a list without any matches nothing. */
export function idList(ids: readonly string[]): string {
  const numbers = ids.filter((id) => /^\d{1,15}$/.test(id))
  return `(${numbers.length > 0 ? numbers.join(',') : '0'})`
}

/** All must hold; undefined ones are no conditions. */
export function all(...conditions: (string | false | undefined)[]): string {
  return conditions.filter(Boolean).join(' and ')
}
