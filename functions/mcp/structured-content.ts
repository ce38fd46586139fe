import * as z from 'zod'
import { inlineDefinitions } from './plain-schema.ts'

type JsonObject = Record<string, unknown>

/** Deeper values are any value: models read the schemas of all tools, which would be half a megabyte, not 33 KB. */
const maxDepth = 2

/**
 * Return the outline of an answer: the names, types and choices of its fields. None is required,
 * because a request may select fields, and a long answer loses some. It is an object, as clients of before 2026
 * want it, so a list is its `items`.
 */
export function buildOutputSchema(type: z.ZodType): JsonObject {
  const { $defs = {}, ...root } = z.toJSONSchema(type, {
    io: 'output',
    unrepresentable: 'any',
  }) as JsonObject & { $defs?: JsonObject }
  const schema = outline(inlineDefinitions(root, $defs), maxDepth) as JsonObject
  if (schema.type === 'object') return schema
  const next = { type: 'object', description: 'Arguments of the next page; absent on the last one.' }
  return { type: 'object', properties: { items: schema, next } }
}

/** Return an answer as its schema describes it, with at most `max` characters. */
export function toStructuredContent(
  value: unknown,
  next: Record<string, string> | undefined,
  max: number,
): JsonObject {
  const part = fitValue(value, max)
  return Array.isArray(part) ? { items: part, ...(next ? { next } : {}) } : (part as JsonObject)
}

function outline(schema: unknown, depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || depth === 0) return {}
  const { type, enum: values, properties, items, anyOf, oneOf } = schema as JsonObject
  const choices = [anyOf, oneOf].find(Array.isArray)
  return {
    ...(type === undefined ? {} : { type }),
    ...(values === undefined ? {} : { enum: values }),
    ...(properties && depth > 1
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, outline(field, depth - 1)]),
          ),
        }
      : {}),
    ...(items && depth > 1 ? { items: outline(items, depth) } : {}),
    ...(choices ? { anyOf: choices.map((choice) => outline(choice, depth)) } : {}),
  }
}

/**
 * Return as much of a value as has at most `max` characters of JSON: the first items of a list, or all but the
 * longest fields of an object.
 */
function fitValue(value: unknown, max: number): unknown {
  if (typeof value !== 'object' || value === null || measure(value) <= max) return value
  if (Array.isArray(value)) return takeWhileFits(value, max)
  const fields = Object.entries(value).toSorted(([, a], [, b]) => measure(a) - measure(b))
  return Object.fromEntries(takeWhileFits(fields, max))
}

const measure = (value: unknown): number => JSON.stringify(value)?.length ?? 0

function takeWhileFits<T>(parts: readonly T[], max: number): T[] {
  let used = 0
  const end = parts.findIndex((part) => {
    used += measure(part) + 1
    return used > max
  })
  return parts.slice(0, end < 0 ? undefined : end)
}
