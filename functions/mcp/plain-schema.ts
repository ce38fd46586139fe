// Clients give the schemas of tools to models in many ways: some cannot follow references, and a schema that
// contains itself breaks them.

import { parseJson } from '#rules/text/json.ts'

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

/**
 * Read arguments as clients send them: `null` for what is left out, and objects, lists, numbers and flags as
 * texts with their JSON (https://github.com/anthropics/claude-code/issues/59227). Only a text whose schema has
 * no text is read.
 */
export function readToolArguments(sent: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return sent
  const value = typeof sent === 'string' ? readText(sent, schema) : sent
  if (Array.isArray(value)) return value.map((item) => readToolArguments(item, schema.items))
  if (!isObject(value) || !isObject(schema.properties)) return value
  const properties = schema.properties
  const kept = Object.entries(value).filter(
    ([name, part]) => part !== undefined && (part !== null || accepts(properties[name], 'null')),
  )
  return Object.fromEntries(kept.map(([name, part]) => [name, readToolArguments(part, properties[name])]))
}

/** Return the value of a text that is JSON of a type that the schema has, or the text. */
function readText(text: string, schema: JsonObject): unknown {
  if (accepts(schema, 'string')) return text
  const value = parseJson(text)
  const type = Array.isArray(value) ? 'array' : typeof value
  const types = type === 'number' ? ['number', 'integer'] : [type]
  return value !== null && types.some((each) => accepts(schema, each)) ? value : text
}

/** Return whether a schema has values of a type. One that says nothing has every type. */
function accepts(schema: unknown, type: string): boolean {
  if (!isObject(schema)) return false
  const { type: types, anyOf, oneOf, allOf, enum: values } = schema
  const choices = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const isAny = types === undefined && choices.length === 0 && values === undefined
  const hasValue = (value: unknown) => (value === null ? 'null' : typeof value) === type
  return (
    isAny ||
    [types].flat().includes(type) ||
    (types === undefined && Array.isArray(values) && values.some(hasValue)) ||
    choices.some((choice) => accepts(choice, type))
  )
}
