// Strict mode does not support these keywords. Our own schema checks them afterwards.
const unsupportedKeywords: ReadonlySet<string> = new Set([
  '$schema',
  'minLength',
  'maxLength',
  'format',
  'pattern',
])

/** Return a JSON schema without the keywords that structured outputs do not support. */
export function toStrictSchema(schema: unknown): Record<string, unknown> {
  return removeKeywords(schema, unsupportedKeywords, false) as Record<string, unknown>
}

const closingKeywords: ReadonlySet<string> = new Set([...unsupportedKeywords, 'additionalProperties'])
/** Return a JSON schema without the keywords that a server may not know, such as those that close an object. */
export function toPlainSchema(schema: unknown): Record<string, unknown> {
  return removeKeywords(schema, closingKeywords, false) as Record<string, unknown>
}

function removeKeywords(value: unknown, keywords: ReadonlySet<string>, areNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => removeKeywords(item, keywords, false))
  if (typeof value !== 'object' || value === null) return value
  const supported = Object.entries(value).filter(([key]) => areNames || !keywords.has(key))
  return Object.fromEntries(
    supported.map(([key, item]) => [key, removeKeywords(item, keywords, key === 'properties' && !areNames)]),
  )
}
