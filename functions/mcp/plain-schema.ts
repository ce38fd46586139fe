// Clients give the schemas of tools to models in many ways: some cannot follow references, and a schema that
// contains itself breaks them.

import { accepts, readDeclaredText } from '#rules/text/declared-text.ts'

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
 * Read arguments as clients send them: `null`, or an empty text that is no value, for what is left out, and objects, lists, numbers and flags as
 * texts with their JSON (https://github.com/anthropics/claude-code/issues/59227). Only a text whose schema has
 * no text is read.
 */
export function readToolArguments(sent: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return sent
  const value = typeof sent === 'string' ? readDeclaredText(sent, schema) : sent
  if (Array.isArray(value)) return value.map((item) => readToolArguments(item, schema.items))
  if (!isObject(value) || !isObject(schema.properties)) return value
  const { properties, required } = schema as { properties: JsonObject; required?: unknown }
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  const kept = Object.entries(value).filter(
    ([name, part]) =>
      part !== undefined &&
      (part !== null || accepts(properties[name], 'null')) &&
      (part !== '' || isRequired(name) || acceptsEmpty(properties[name])),
  )
  return Object.fromEntries(kept.map(([name, part]) => [name, readToolArguments(part, properties[name])]))
}

/** Return whether an empty text is a value of a schema. */
function acceptsEmpty(schema: unknown): boolean {
  if (!isObject(schema)) return true
  const { anyOf, enum: values, minLength, format, pattern } = schema
  if (Array.isArray(anyOf)) return anyOf.some(acceptsEmpty)
  if (Array.isArray(values)) return values.includes('')
  return accepts(schema, 'string') && !minLength && format === undefined && pattern === undefined
}
