import type { Json } from '#http/openapi/json.ts'

/** A JSON Schema, as far as the document uses it. */
interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  description?: string
}

/** Write the TypeScript type of a JSON Schema. A component becomes the name of its declaration. */
export function writeType(schema: Schema): string {
  if (schema.$ref) return getComponentName(schema.$ref)
  if (schema.enum) return joinTypes(schema.enum.map(writeLiteral), ' | ')
  if (schema.const !== undefined) return writeLiteral(schema.const)
  const members = schema.anyOf ?? schema.oneOf
  if (members) return joinTypes(members.map(writeType), ' | ')
  if (schema.allOf) return joinTypes(schema.allOf.map(writeType), ' & ')
  if (Array.isArray(schema.type))
    return joinTypes(
      schema.type.map((type) => writeType({ ...schema, type })),
      ' | ',
    )
  return writeSimpleType(schema)
}

function writeSimpleType(schema: Schema): string {
  switch (schema.type) {
    case 'integer':
      return 'number'
    case 'array':
      return `(${writeType(schema.items ?? {})})[]`
    case 'object':
      return writeObject(schema)
    case undefined:
      return schema.properties ? writeObject(schema) : 'unknown'
    default:
      return schema.type as string
  }
}

function writeObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(([name, field]) =>
    writeField(name, field, required.includes(name)),
  )
  if (fields.length > 0) return `{\n${fields.join('\n')}\n}`
  if (additionalProperties === false) return 'Record<string, never>'
  // Not a Record, because a type may refer to itself only through an index signature.
  return `{ [key: string]: ${typeof additionalProperties === 'object' ? writeType(additionalProperties) : 'unknown'} }`
}

/** Write one property with its description. An optional one also accepts `undefined`, which is not sent. */
export function writeField(name: string, schema: Schema, isRequired: boolean): string {
  const comment = schema.description ? `${writeComment(schema.description)}\n` : ''
  const type = writeType(schema)
  const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)
  return `${comment}${key}${isRequired ? `: ${type}` : `?: ${type} | undefined`}`
}

/** Write a documentation comment on one line. */
export function writeComment(text: string): string {
  return `/** ${text.replace(/\s+/g, ' ').replaceAll('*/', '*\\/')} */`
}

/** Return the names of all components that a schema refers to directly. */
export function listReferences(schema: Json): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  )
}

function getComponentName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function writeLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : JSON.stringify(value)
}

function joinTypes(types: string[], separator: string): string {
  return types.length === 1 ? String(types[0]) : `(${[...new Set(types)].join(separator)})`
}
