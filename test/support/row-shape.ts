import type * as z from 'zod'
import type { ResultColumn } from './describe-statement.ts'

/** The zod types that fit a PostgreSQL type, as the driver returns it. */
const fittingTypes: Record<string, readonly string[]> = {
  uuid: ['string'],
  text: ['string', 'enum', 'literal'],
  bytea: ['custom'],
  boolean: ['boolean', 'literal'],
  integer: ['number', 'int', 'literal'],
  smallint: ['number', 'int'],
  bigint: ['number', 'int'],
  'double precision': ['number'],
  'timestamp with time zone': ['string'],
  void: ['unknown'],
}
const jsonTypes = [
  'object',
  'array',
  'record',
  'custom',
  'unknown',
  'union',
  'string',
  'number',
  'boolean',
  'enum',
  'lazy',
  'any',
]

/** Return the innermost type of a schema, without `nullable`, `optional`, pipes and the like. */
function unwrap(schema: z.ZodType): string {
  const {
    type,
    innerType,
    in: input,
  } = schema._zod.def as { type: string; innerType?: z.ZodType; in?: z.ZodType }
  const inner = innerType ?? input
  return inner ? unwrap(inner) : type
}

function fits(schema: z.ZodType, sqlType: string): boolean {
  const type = unwrap(schema)
  if (schema.description === 'not null') return true
  if (sqlType.endsWith('[]')) return type === 'array'
  if (sqlType === 'jsonb' || sqlType === 'json') return jsonTypes.includes(type)
  return fittingTypes[sqlType]?.includes(type) ?? false
}

/** List the differences between the result columns of a statement and the declared shape of its rows. */
export function listShapeDifferences(shape: z.ZodObject, columns: readonly ResultColumn[]): string[] {
  const fields: Record<string, z.ZodType> = shape.shape as never
  const missing = Object.keys(fields).filter((name) => !columns.some((column) => column.name === name))
  return [
    ...missing.map((name) => `${name}: not a column of the statement`),
    ...columns.flatMap(({ name, type, isFromNullableColumn }) => {
      const field = fields[name]
      if (!field) return [`${name}: not in the shape`]
      if (!fits(field, type)) return [`${name}: ${type} does not fit ${unwrap(field)}`]
      return isFromNullableColumn && !field.safeParse(null).success ? [`${name}: can be null`] : []
    }),
  ]
}
