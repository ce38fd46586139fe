// Strict mode does not support these keywords. Our own schema checks them afterwards.
const unsupportedKeywords = new Set(['$schema', 'minLength', 'maxLength', 'format', 'pattern'])

/** Return a JSON schema without the keywords that structured outputs do not support. */
export function toStrictSchema(schema: unknown): Record<string, unknown> {
  return removeUnsupported(schema, false) as Record<string, unknown>
}

function removeUnsupported(value: unknown, areNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => removeUnsupported(item, false))
  if (typeof value !== 'object' || value === null) return value
  const supported = Object.entries(value).filter(([key]) => areNames || !unsupportedKeywords.has(key))
  return Object.fromEntries(
    supported.map(([key, item]) => [key, removeUnsupported(item, key === 'properties' && !areNames)]),
  )
}
