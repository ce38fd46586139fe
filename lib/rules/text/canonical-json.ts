/**
 * Write a JSON value in the one form of RFC 8785: no blanks, and the keys of an object in the order of their
 * UTF-16 units. Numbers and texts are written as `JSON.stringify` does, to which the RFC refers.
 */
export function writeCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeCanonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${writeCanonicalJson(field)}`).join(',')}}`
}
