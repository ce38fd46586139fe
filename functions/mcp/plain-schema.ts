// Clients give the schemas of tools to models in many ways: some cannot follow references, and a schema that
// contains itself breaks them.

type JsonObject = Record<string, unknown>
type Definitions = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const getName = (reference: unknown) => /^#\/\$defs\/(.+)$/.exec(String(reference))?.[1]

/**
 * Return a schema with each definition where it is used, so that it has no `$ref`. A definition inside itself
 * becomes any value. `const` becomes an enum of one value, and the pattern of property names is left out: the
 * operation checks both. The example of a time shows its form; any other is left out, because models copy it.
 */
export function inlineDefinitions(
  schema: unknown,
  $defs: Definitions,
  open: readonly string[] = [],
): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inlineDefinitions(item, $defs, open))
  if (!isObject(schema)) return schema
  const { $ref, propertyNames: _names, const: only, example, ...own } = schema
  const name = getName($ref)
  if (name !== undefined && open.includes(name)) return {}
  const definition = name === undefined ? {} : inlineDefinitions($defs[name], $defs, [...open, name])
  const parts = Object.entries(own).map(([key, part]) => [
    key,
    key === 'properties' ? inlineEach(part, $defs, open) : inlineDefinitions(part, $defs, open),
  ])
  return {
    ...(definition as JsonObject),
    ...(only === undefined ? {} : { enum: [only] }),
    ...(own.format === 'date-time' && example !== undefined ? { example } : {}),
    ...Object.fromEntries(parts),
  }
}

/** The keys are names of properties, which may be called `const` or `$ref`. */
function inlineEach(properties: unknown, $defs: Definitions, open: readonly string[]): unknown {
  if (!isObject(properties)) return properties
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, inlineDefinitions(schema, $defs, open)]),
  )
}

/** Remove `null` where the schema of a tool has no null: models send it for what they leave out. */
export function removeUnwantedNulls(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value
  if (Array.isArray(value)) return value.map((item) => removeUnwantedNulls(item, schema.items))
  if (!isObject(value) || !isObject(schema.properties)) return value
  const properties = schema.properties
  const kept = Object.entries(value).filter(
    ([name, part]) => part !== undefined && (part !== null || acceptsNull(properties[name])),
  )
  return Object.fromEntries(kept.map(([name, part]) => [name, removeUnwantedNulls(part, properties[name])]))
}

function acceptsNull(schema: unknown): boolean {
  if (!isObject(schema)) return false
  const { type, anyOf, oneOf, enum: values } = schema
  const isAny = type === undefined && anyOf === undefined && oneOf === undefined && values === undefined
  const choices = [...(Array.isArray(anyOf) ? anyOf : []), ...(Array.isArray(oneOf) ? oneOf : [])]
  return (
    isAny ||
    [type].flat().includes('null') ||
    (Array.isArray(values) && values.includes(null)) ||
    choices.some(acceptsNull)
  )
}
