import * as z from 'zod'
import type { FieldError } from '#problem.ts'
import { spend } from '#rules/budget.ts'

// zod checks the length of an array after all of its items, and lists every unknown key. So sizes are
// compared with the schema first.

/** What a schema says about the size of a value: the alternatives that are lists or objects. */
type Shape =
  | { kind: 'list'; maxItems: number; item: z.core.$ZodType }
  | { kind: 'object'; fields: Readonly<Record<string, z.core.$ZodType>>; isStrict: boolean }
  | { kind: 'record'; value: z.core.$ZodType }
  | { kind: 'any' }

/** Checking a value, and walking through it later. */
const stepsPerValue = 100
const maxUnknownKeys = 50

/**
 * Return an error for each list and object of a parsed body that is larger than its schema allows, without
 * looking into it. Count the work of all other values. Throw 422 when there are too many.
 */
export function findOversized(schema: z.core.$ZodType, body: unknown): FieldError[] {
  const errors: FieldError[] = []
  const visit = (value: unknown, schemas: readonly z.core.$ZodType[], loc: FieldError['loc']): void => {
    if (typeof value !== 'object' || value === null) return
    const kinds = Array.isArray(value) ? ['list'] : ['object', 'record']
    const shapes = schemas.flatMap(getShapes)
    // What its schema refuses whatever it contains, and what it does not describe, is only counted.
    const isOpen =
      !shapes.some(({ kind }) => kinds.includes(kind)) || shapes.some(({ kind }) => kind === 'any')
    if (Array.isArray(value)) {
      const lists = shapes.filter((shape) => shape.kind === 'list')
      const maxItems = isOpen ? Number.POSITIVE_INFINITY : Math.max(...lists.map((list) => list.maxItems))
      if (value.length > maxItems) return void errors.push({ loc, ...describeTooLong(value, maxItems) })
      spend(value.length * stepsPerValue)
      const items = [...lists.map(({ item }) => item), ...(isOpen ? [anything] : [])]
      value.forEach((item, index) => {
        visit(item, items, [...loc, index])
      })
      return
    }
    const keys = Object.keys(value)
    spend(keys.length * stepsPerValue)
    const objects = shapes.filter((shape) => shape.kind === 'object')
    const records = shapes.filter((shape) => shape.kind === 'record')
    const isStrict = !isOpen && records.length === 0 && objects.every((shape) => shape.isStrict)
    if (isStrict) {
      const unknownKeys = keys.filter((key) => !objects.some(({ fields }) => Object.hasOwn(fields, key)))
      if (unknownKeys.length > maxUnknownKeys) {
        for (const key of unknownKeys) errors.push({ loc: [...loc, key], ...unknownKey })
        return
      }
    }
    const values = [...records.map((record) => record.value), ...(isOpen ? [anything] : [])]
    for (const key of keys) {
      const fields = objects.flatMap((shape) =>
        Object.hasOwn(shape.fields, key) ? [shape.fields[key] as z.core.$ZodType] : [],
      )
      visit((value as Record<string, unknown>)[key], [...fields, ...values], [...loc, key])
    }
  }
  visit(body, [schema], ['body'])
  return errors
}

const anything = z.unknown()
export const unknownKey = { msg: 'is not a known field', type: 'unknown_key' }

/** Write the error that the schema itself would have. */
function describeTooLong(value: unknown[], maxItems: number): Pick<FieldError, 'msg' | 'type'> {
  const issue = z.array(anything).max(maxItems).safeParse(value).error?.issues[0]
  return { msg: issue?.message ?? `must have at most ${maxItems} items`, type: issue?.code ?? 'too_big' }
}

const shapesBySchema = new WeakMap<z.core.$ZodType, readonly Shape[]>()

function getShapes(schema: z.core.$ZodType): readonly Shape[] {
  const known = shapesBySchema.get(schema)
  if (known) return known
  const shapes = readShapes((schema as z.core.$ZodTypes)._zod.def)
  shapesBySchema.set(schema, shapes)
  return shapes
}

function getMaxItems(checks: readonly z.core.$ZodCheck<never>[] = []): number {
  const limits = checks
    .map(({ _zod }) => _zod.def as { check: string; maximum?: number })
    .filter(({ check }) => check === 'max_length')
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...limits.map(({ maximum = Number.POSITIVE_INFINITY }) => maximum),
  )
}

function readShapes(def: z.core.$ZodTypes['_zod']['def']): readonly Shape[] {
  switch (def.type) {
    case 'array':
      return [{ kind: 'list', maxItems: getMaxItems(def.checks), item: def.element }]
    case 'object':
      return [{ kind: 'object', fields: def.shape, isStrict: def.catchall?._zod.def.type === 'never' }]
    case 'record':
      return [{ kind: 'record', value: def.valueType }]
    case 'union':
      return def.options.flatMap(getShapes)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return getShapes(def.innerType)
    case 'pipe':
      return getShapes(def.in)
    case 'lazy':
      return getShapes(def.getter())
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'null':
      return []
    default:
      return [{ kind: 'any' }]
  }
}
