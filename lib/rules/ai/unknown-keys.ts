interface JsonSchema {
  type?: unknown
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

/**
 * Return a value without the keys that its JSON schema does not have, at any depth. A schema without
 * properties keeps every key. The value is not checked.
 */
export function dropUnknownKeys(value: unknown, schema: object | undefined): unknown {
  if (typeof value !== 'object' || value === null || !schema) return value
  const type = Array.isArray(value) ? 'array' : 'object'
  const fitting =
    (schema as JsonSchema).anyOf?.find((branch) => branch.type === type) ?? (schema as JsonSchema)
  if (Array.isArray(value)) return value.map((item) => dropUnknownKeys(item, fitting.items))
  const { properties } = fitting
  if (!properties) return value
  const known = Object.entries(value).filter(([key]) => Object.hasOwn(properties, key))
  return Object.fromEntries(known.map(([key, item]) => [key, dropUnknownKeys(item, properties[key])]))
}
