/** Join the items of a list. They are divided by semicolons if one has a comma, so that they can be read back. */
export const joinItems = (items: readonly string[]): string =>
  items.join(items.some((item) => item.includes(',')) ? '; ' : ', ')

/** Return a value of a session as text: an object is its JSON. Null for no value. */
export function toValueText(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  if (Array.isArray(value)) return joinItems(value.map((item) => toValueText(item) ?? ''))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
