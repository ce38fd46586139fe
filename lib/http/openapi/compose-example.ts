import * as z from 'zod'
import { exampleValues } from './example-values.ts'

/**
 * Return the example of a schema: that of its `meta`, else one composed of its fields, or undefined if a text
 * has none. A field without an example has the value of its name, else one of its type. What may be absent is
 * absent, and a nullable text, id, time or enum is null, unless it has an example.
 */
export function composeExample(type: z.ZodType, path: readonly string[] = []): unknown {
  const declared = getDeclaredExample(type)
  const value = declared === undefined ? getNamedExample(type, path.at(-1)) : declared
  return value === undefined ? composeByType(type, path) : value
}

/** Return the example of the schema's `meta`, or of the schema that it wraps. */
function getDeclaredExample(type: z.ZodType): unknown {
  const { example, examples } = (type.meta() ?? {}) as { example?: unknown; examples?: unknown[] }
  const declared = example === undefined ? examples?.[0] : example
  return declared === undefined && isWrapper(type) ? getDeclaredExample(type.unwrap() as z.ZodType) : declared
}

function getNamedExample(type: z.ZodType, name = ''): unknown {
  const value = Object.hasOwn(exampleValues, name) ? exampleValues[name] : undefined
  return value !== undefined && type.safeParse(value).success ? value : undefined
}

type Wrapper = z.ZodOptional | z.ZodNullable | z.ZodDefault | z.ZodPrefault | z.ZodNonOptional | z.ZodReadonly

function isWrapper(type: z.ZodType): type is Wrapper {
  return wrappers.some((wrapper) => type instanceof wrapper)
}

const wrappers = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault, z.ZodNonOptional, z.ZodReadonly]

function composeByType(type: z.ZodType, path: readonly string[]): unknown {
  if (type instanceof z.ZodObject) return composeObject(type, path)
  if (type instanceof z.ZodOptional) return undefined
  if (type instanceof z.ZodDefault) return type.def.defaultValue
  if (type instanceof z.ZodNullable) return composeNullable(type.unwrap() as z.ZodType, path)
  if (isWrapper(type)) return composeExample(type.unwrap() as z.ZodType, path)
  if (type instanceof z.ZodPipe) return composeExample(type.in as z.ZodType, path)
  if (type instanceof z.ZodArray) return composeArray(type.element as z.ZodType, path)
  if (type instanceof z.ZodUnion) return composeExample(type.options[0] as z.ZodType, path)
  if (type instanceof z.ZodEnum) return type.options[0]
  if (type instanceof z.ZodLiteral) return type.value
  if (type instanceof z.ZodBoolean) return true
  if (type instanceof z.ZodNumber) return Math.max(1, type.minValue ?? 1)
  if (type instanceof z.ZodRecord) return {}
  return composeText(type)
}

function composeObject({ shape }: z.ZodObject, path: readonly string[]): Record<string, unknown> {
  const fields = Object.entries(shape).map(([name, field]) => {
    const value = composeExample(field as z.ZodType, [...path, name])
    if (value === undefined && !(field as z.ZodType).safeParse(undefined).success)
      throw new Error(`Give the field ${[...path, name].join('.')} an example: .meta({ example: '…' })`)
    return [name, value] as const
  })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** A whole object or a list teaches more than null; a text, an id or a time may say that something happened. */
function composeNullable(type: z.ZodType, path: readonly string[]): unknown {
  return type instanceof z.ZodObject || type instanceof z.ZodArray ? composeExample(type, path) : null
}

function composeArray(element: z.ZodType, path: readonly string[]): unknown[] {
  const item = composeExample(element, path)
  return item === undefined ? [] : [item]
}

function composeText(type: z.ZodType): string | undefined {
  const { format } = type.def as { format?: string }
  if (format === 'uuid') return '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d19'
  if (format === 'datetime') return '2026-11-21T09:30:00.000Z'
  if (format === 'date') return '2026-11-21'
  return undefined
}
