import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { operations } from '#functions/operations.ts'
import { parseWithoutNulls } from '#http/absent-nulls.ts'

type Json = Record<string, unknown>
const document = JSON.parse(readFileSync('functions/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Json>>
  components: { schemas: Record<string, Json> }
}

/** Return a schema with what it refers to and extends. */
function resolve(schema: Json): Json & { properties: Record<string, Json>; required: string[] } {
  const target =
    typeof schema.$ref === 'string'
      ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
      : schema
  const parts = ((target.allOf ?? []) as Json[]).map(resolve)
  return {
    ...target,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), target.properties),
    required: [...parts.flatMap(({ required }) => required), ...((target.required ?? []) as string[])],
  }
}
const mayBeNull = (schema: Json): boolean => {
  const { type, anyOf = [], oneOf = [], enum: values, $ref } = resolve(schema)
  const alternatives = [...(anyOf as Json[]), ...(oneOf as Json[])]
  const isAny = type === undefined && alternatives.length === 0 && values === undefined && $ref === undefined
  return isAny || [type].flat().includes('null') || alternatives.some(mayBeNull)
}

/** Return whether a schema says more than that it is any value. */
const isDescribed = ({ description: _, ...schema }: Json) => Object.keys(schema).length > 0

/** Return a value with null in one optional field, and without that field, for each such field. */
function listNulled(value: unknown, schema: Json): { field: string; nulled: unknown; without: unknown }[] {
  const { properties, required, items } = resolve(schema)
  if (Array.isArray(value))
    return items && value.length > 0
      ? listNulled(value[0], items as Json).map(({ field, nulled, without }) => ({
          field: `0.${field}`,
          nulled: [nulled, ...value.slice(1)],
          without: [without, ...value.slice(1)],
        }))
      : []
  if (typeof value !== 'object' || value === null) return []
  const object = value as Json
  return Object.entries(properties).flatMap(([name, property]) => {
    const { [name]: own, ...others } = object
    const inner = listNulled(own, property).map(({ field, nulled, without }) => ({
      field: `${name}.${field}`,
      nulled: { ...object, [name]: nulled },
      without: { ...object, [name]: without },
    }))
    return required.includes(name)
      ? inner
      : [...inner, { field: name, nulled: { ...object, [name]: null }, without: others }]
  })
}

const bodies = operations.flatMap((op) => {
  if (!(op.body instanceof z.ZodType)) return []
  const operation = document.paths[`/api/v1${op.path}`]?.[op.method] as Json
  const media = ((operation.requestBody as Json).content as Record<string, Json>)['application/json'] as Json
  const schema = media.schema as Json
  const example = media.example ?? (resolve(schema).examples as unknown[] | undefined)?.[0]
  return example === undefined ? [] : [{ id: op.id, body: op.body as z.ZodType, schema, example }]
})

it('WIR-84 knows an example of nearly every body', () => {
  expect(bodies.length).toBeGreaterThan(150)
})

it.each(bodies)('WIR-84 $id takes null for an optional field as absent', ({ body, schema, example }) => {
  const differences = listNulled(example, schema).filter(({ nulled, without }) => {
    const left = body.safeParse(without)
    const read = parseWithoutNulls(body, nulled)
    // Where null is a value of its own, it is kept; where a field cannot be left out alone, it is refused likewise.
    if (body.safeParse(nulled).success) return false
    return left.success ? JSON.stringify(read.data) !== JSON.stringify(left.data) : read.success
  })
  expect(differences.map(({ field }) => field)).toEqual([])
})

it.each(bodies)('WIR-84 $id may be sent what the answer has as null', ({ id }) => {
  const op = operations.find((op) => op.id === id)
  const operation = document.paths[`/api/v1${op?.path}`]?.[op?.method ?? 'get'] as Json
  const readSchema = (part: unknown) =>
    ((part as Json | undefined)?.content as Record<string, Json> | undefined)?.['application/json']?.schema as
      | Json
      | undefined
  const sent = resolve(readSchema(operation.requestBody) ?? {})
  const answers = Object.entries(operation.responses as Json)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => resolve(readSchema(response) ?? {}))
  const refused = Object.entries(sent.properties).filter(
    ([name, property]) =>
      !sent.required.includes(name) &&
      !mayBeNull(property) &&
      answers.some(
        ({ properties }) => properties[name] && isDescribed(properties[name]) && mayBeNull(properties[name]),
      ),
  )
  expect(refused.map(([name]) => name)).toEqual([])
})

it('WIR-84 refuses null for a required field as before, with everything else that is wrong', () => {
  const schema = z.strictObject({ name: z.string(), note: z.string().optional(), count: z.int().optional() })
  const paths = (value: unknown) =>
    parseWithoutNulls(schema, value).error?.issues.map(({ path, code }) => [...path, code].join(' '))
  expect(paths({ name: null, note: null, count: 'x' })).toEqual(['name invalid_type', 'count invalid_type'])
  expect(paths({ name: 'x', note: null, count: null })).toBeUndefined()
  expect(paths(null)).toEqual(['invalid_type'])
})
