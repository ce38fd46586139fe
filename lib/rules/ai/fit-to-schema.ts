import { accepts, readDeclaredText } from '#rules/text/declared-text.ts'

interface JsonSchema {
  type?: unknown
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

/**
 * Return a value as its JSON schema declares it, at any depth: without the keys that it does not have, with
 * null for a missing part that may be null, and with the value of a text that is JSON of the declared type. A
 * schema without properties keeps every key. The value is not checked.
 */
export function fitToSchema(sent: unknown, schema: JsonSchema | undefined): unknown {
  if (!schema) return sent
  const value = typeof sent === 'string' ? readDeclaredText(sent, schema) : sent
  if (typeof value !== 'object' || value === null) return value
  const type = Array.isArray(value) ? 'array' : 'object'
  const fitting = schema.anyOf?.find((branch) => branch.type === type) ?? schema
  if (Array.isArray(value)) return value.map((item) => fitToSchema(item, fitting.items))
  const { properties } = fitting
  if (!properties) return value
  const parts = Object.entries(properties).flatMap(([key, part]): [string, unknown][] => {
    if (Object.hasOwn(value, key)) return [[key, fitToSchema((value as Record<string, unknown>)[key], part)]]
    return accepts(part, 'null') ? [[key, null]] : []
  })
  return Object.fromEntries(parts)
}
