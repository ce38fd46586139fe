import type { Json } from './json.ts'

interface ObjectSchema extends Json {
  properties: Json
  required?: string[]
}

// With fewer shared properties the similarity is a coincidence.
const minSharedProperties = 5

/**
 * Replace a schema that repeats all properties of another with `allOf` and a `$ref` to it, such as a detail
 * that repeats its list item. The base is the schema with the most properties. The document stays small, and
 * generated types extend each other.
 */
export function extendSchemas(schemas: Json): Json {
  const objects = Object.entries(schemas).filter((entry): entry is [string, ObjectSchema] =>
    isObjectSchema(entry[1]),
  )
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (!isObjectSchema(schema)) return [name, schema]
      const bases = objects.filter(([baseName, base]) => baseName !== name && isExtension(schema, base))
      const [base] = bases.toSorted(([, a], [, b]) => countProperties(b) - countProperties(a))
      return [name, base ? toAllOf(schema, ...base) : schema]
    }),
  )
}

function isObjectSchema(schema: unknown): schema is ObjectSchema {
  return (
    typeof schema === 'object' &&
    schema !== null &&
    'properties' in schema &&
    !('additionalProperties' in schema)
  )
}

function countProperties({ properties }: ObjectSchema): number {
  return Object.keys(properties).length
}

/**
 * Return whether `schema` has every property of `base` with the same type, every required one, and at least
 * one more.
 */
function isExtension(schema: ObjectSchema, base: ObjectSchema): boolean {
  if (countProperties(base) < minSharedProperties || countProperties(base) >= countProperties(schema))
    return false
  const isSame = ([name, property]: [string, unknown]) =>
    serializeType(schema.properties[name]) === serializeType(property)
  return (
    (base.required ?? []).every((name) => schema.required?.includes(name)) &&
    Object.entries(base.properties).every(isSame)
  )
}

/** Return a property as text, without its own description. */
function serializeType(property: unknown): string {
  const { description: _, ...type } = (property ?? {}) as Json
  return JSON.stringify(Object.entries(type).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function toAllOf(
  { type, properties, required = [], ...rest }: ObjectSchema,
  baseName: string,
  base: ObjectSchema,
): Json {
  const isNew = (name: string) => !(name in base.properties)
  const extension = {
    type,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isNew(name))),
    required: required.some(isNew) ? required.filter(isNew) : undefined,
  }
  return { allOf: [{ $ref: `#/components/schemas/${baseName}` }, extension], ...rest }
}
