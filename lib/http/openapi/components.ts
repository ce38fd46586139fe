import * as z from 'zod'
import { acceptNulls } from './accept-nulls.ts'
import { composeExample } from './compose-example.ts'
import { extendSchemas } from './extend-schemas.ts'
import type { Json } from './json.ts'
import { shareDescriptions } from './share-descriptions.ts'

/**
 * Collects what operations share. Each method returns a reference, or the value itself where it is used once.
 */
export interface JsonComponents {
  /** The media type object of a JSON body, with its example unless the referenced schema has one. */
  content(type: z.ZodType, io: 'input' | 'output'): Json
  schema(type: z.ZodType, io: 'input' | 'output'): Json
  /** The schema of a path or query parameter. `true` and `false` as text become a boolean. */
  parameterSchema(type: z.ZodType): Json
  /** A parameter that several operations have; `group` keeps two of one name apart. */
  parameter(parameter: Json & { name: string }, group: string): Json
  response(name: string, response: Json): Json
  header(name: string, description: string): Json
  /** Add the components to the document. */
  finish(document: Json): Json
}

export function createComponents(): JsonComponents {
  const schemas = new Map<string, unknown>()
  const examples = new Map<string, unknown>()
  const responses = new Map<string, Json>()
  const headers = new Map<string, Json>()
  const parameters = new Map<string, string>()
  const schema = (type: z.ZodType, io: 'input' | 'output') => hoistSchema(type, io, schemas)
  return {
    schema,
    content(type, io) {
      const body = schema(type, io)
      const example = composeExample(type)
      if (example === undefined) return { schema: body }
      const reference = body.$ref ?? (body.items as Json | undefined)?.$ref
      if (!reference) return { schema: body, example }
      const name = String(reference).replace('#/components/schemas/', '')
      examples.set(name, body.items ? (example as unknown[])[0] : example)
      return { schema: body }
    },
    parameterSchema(type) {
      const parameter = schema(type, 'input')
      if (JSON.stringify(parameter.enum) !== '["true","false"]') return parameter
      const { enum: _, default: initial, ...rest } = parameter
      return { ...rest, type: 'boolean', ...(initial === undefined ? {} : { default: initial === 'true' }) }
    },
    parameter(parameter, group) {
      const text = JSON.stringify(parameter)
      const [subject = '', rest] = group.split('.')
      const names = [
        toPascalCase(parameter.name),
        toPascalCase(`${subject}_${parameter.name}`),
        toPascalCase(`${subject}_${rest}_${parameter.name}`),
      ]
      // A generated type called `File` would hide that of JavaScript.
      const name = names.find(
        (candidate) => !(candidate in globalThis) && (parameters.get(candidate) ?? text) === text,
      )
      if (!name) throw new Error(`Two parameters of ${group} are called ${parameter.name}`)
      parameters.set(name, text)
      return { $ref: `#/components/parameters/${name}` }
    },
    response(name, response) {
      responses.set(name, response)
      return { $ref: `#/components/responses/${name}` }
    },
    header(name, description) {
      headers.set(name, { description, schema: { type: 'string' } })
      return { $ref: `#/components/headers/${name}` }
    },
    finish(document) {
      acceptNulls(document.paths as Json, schemas)
      return shareDescriptions({
        ...document,
        components: {
          schemas: extendSchemas(sortByName(addExamples(schemas, examples))),
          parameters: sortByName(new Map([...parameters].map(([name, text]) => [name, JSON.parse(text)]))),
          responses: sortByName(responses),
          headers: sortByName(headers),
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
            api_key: {
              type: 'http',
              scheme: 'bearer',
              bearerFormat: 'sfk_…',
              description: 'An API key with the scopes that the operation names.',
            },
          },
        },
      })
    },
  }
}

function addExamples(schemas: ReadonlyMap<string, unknown>, examples: ReadonlyMap<string, unknown>) {
  const entries = [...schemas].map(([name, schema]): [string, unknown] => [
    name,
    examples.has(name) ? Object.assign({}, schema, { examples: [examples.get(name)] }) : schema,
  ])
  return new Map(entries)
}

function sortByName(entries: ReadonlyMap<string, unknown>): Json {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function toPascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** One conversion: where shared schemas go, and whether the schema describes a request or an answer. */
interface Conversion {
  schemas: Map<string, unknown>
  io: 'input' | 'output'
}

/** Convert a schema to JSON Schema. Schemas with an id become shared components. */
function hoistSchema(type: z.ZodType, io: 'input' | 'output', schemas: Map<string, unknown>): Json {
  const conversion = { schemas, io }
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Json
  for (const [name, definition] of Object.entries($defs as Json))
    addSchema(schemas, name, cleanObject(definition as Json, conversion))
  const { id } = root
  if (typeof id !== 'string') return clean(root, conversion) as Json
  schemas.set(id, cleanObject(root, conversion))
  return { $ref: `#/components/schemas/${id}` }
}

function addSchema(schemas: Map<string, unknown>, name: string, schema: Json): void {
  // zod numbers recursive schemas without an id.
  if (name.startsWith('__schema')) throw new Error('Name the recursive schema: JsonValue, or one with an id')
  const { enum: values } = (schemas.get(name) ?? schema) as Json
  if (String(values) !== String(schema.enum))
    throw new Error(`Two enums are called ${name}: [${values}] and [${schema.enum}]`)
  schemas.set(name, name === 'JsonValue' ? endRecursion(name, schema) : schema)
}

/**
 * Let the parts of a value be anything. What openapi-typescript writes for a union that has itself as a part does
 * not compile (TS2502).
 */
function endRecursion(name: string, schema: Json): Json {
  const text = JSON.stringify(schema).replaceAll(
    JSON.stringify({ $ref: `#/components/schemas/${name}` }),
    '{}',
  )
  return JSON.parse(text) as Json
}

// Under these keys are values, not schemas.
const valueKeys = new Set(['example', 'examples', 'default', 'const', 'enum'])

function clean(value: unknown, conversion: Conversion): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, conversion))
  if (typeof value !== 'object' || value === null) return value
  return hoistShared(cleanObject(value as Json, conversion), conversion.schemas)
}

// The ids and times of lib/http/fields.ts without a description of their own.
const sharedTexts = [
  { name: 'Id', schema: { type: 'string', format: 'uuid', description: 'UUIDv7.' } },
  {
    name: 'Timestamp',
    schema: { type: 'string', format: 'date-time', description: 'RFC 3339, UTC, with milliseconds.' },
  },
]

function hoistShared(schema: Json, schemas: Map<string, unknown>): Json {
  const text = JSON.stringify(schema)
  const shared = sharedTexts.find((candidate) => JSON.stringify(candidate.schema) === text)
  if (!shared) return toReference(schema)
  schemas.set(shared.name, shared.schema)
  return { $ref: `#/components/schemas/${shared.name}` }
}

function cleanObject(value: Json, conversion: Conversion): Json {
  const entries = Object.entries(value).filter(([key, item]) => !isRedundant(key, item, value, conversion))
  return toNullableType(
    Object.fromEntries(entries.map(([key, item]) => [key, cleanEntry(key, item, conversion, value)])),
  )
}

/**
 * Return whether a keyword tells clients nothing: zod's own ids, a pattern where a `format` says the same, the
 * example of a field, which is part of that of its object, and the bounds of every JavaScript integer. `additionalProperties: false` of an answer is
 * dropped too, because later versions add fields.
 */
function isRedundant(key: string, item: unknown, schema: Json, { io }: Conversion): boolean {
  if (key === 'id') return typeof item === 'string'
  if (key === 'pattern') return schema.format !== undefined
  if (key === 'example') return true
  if (key === 'additionalProperties') return item === false && io === 'output'
  return (
    (key === 'minimum' && item === Number.MIN_SAFE_INTEGER) ||
    (key === 'maximum' && item === Number.MAX_SAFE_INTEGER)
  )
}

/** Convert `anyOf` of a simple type and null to one schema: `type: ['string', 'null']`. */
function toNullableType(schema: Json): Json {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || (anyOf[1] as Json).type !== 'null') return schema
  const [{ type, ...simple }] = anyOf as [Json]
  if (typeof type === 'string' && type !== 'object' && type !== 'array')
    return { ...simple, ...rest, type: [type, 'null'] }
  // The description of the whole covers both alternatives.
  return rest.description && simple.$ref ? { anyOf: [{ $ref: simple.$ref }, anyOf[1]], ...rest } : schema
}

function cleanEntry(key: string, item: unknown, conversion: Conversion, schema: Json): unknown {
  // Beside known keys that may be absent, TypeScript refuses any narrower type for the others.
  if (key === 'additionalProperties' && typeof item === 'object' && schema.properties) return {}
  if (key === '$ref') return `#/components/schemas/${String(item).replace('#/$defs/', '')}`
  return valueKeys.has(key) ? item : clean(item, conversion)
}

/**
 * Return a reference to a named schema without the type and values of an enum, which zod repeats beside it.
 * Throw for an enum of several texts without a name, so that a client sees one type per enum.
 */
function toReference(schema: Json): Json {
  const { $ref, type, enum: values, ...rest } = schema
  if ($ref) return { $ref, ...rest }
  if (!Array.isArray(values) || values.length < 2 || type !== 'string' || String(values) === 'true,false')
    return schema
  throw new Error(`Name the enum [${values.join(', ')}] where it is declared: .meta({ id: '…' })`)
}
