import { base64url } from 'jose'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import * as z from 'zod'
import { invalidField } from '#problem.ts'
import { isStorable } from '#rules/text/json.ts'

type CursorValue = string | number | boolean
const Cursor = z.array(z.union([z.string().refine(isStorable), z.int(), z.boolean()])).max(4)

export const PageQuery = z.strictObject({
  skip: z.coerce.number().int().min(0).max(2_147_483_647).default(0).describe('Number of items to skip.'),
  limit: z.coerce.number().int().min(1).max(100).default(50).describe('Maximum number of items.'),
  after: z
    .string()
    .max(4000)
    .optional()
    .describe('The item after which the page starts, as the `Link` of the page before gives it.'),
})
export type PageQuery = z.infer<typeof PageQuery>

/**
 * How the next page starts: after an item, or after a number of items where their order changes by itself.
 */
export type NextPage = { after: string } | { skip: number }

export interface Page<T> {
  items: T[]
  /** Null when no row follows. */
  next: NextPage | null
}

const kinds = {
  time: {
    isValid: (value: CursorValue) => z.iso.datetime().safeParse(value).success,
    type: sql`timestamptz`,
  },
  uuid: { isValid: (value: CursorValue) => z.uuid().safeParse(value).success, type: sql`uuid` },
  text: { isValid: (value: CursorValue) => typeof value === 'string', type: sql`text` },
  name: { isValid: (value: CursorValue) => typeof value === 'string', type: sql`text collate "und-x-icu"` },
  integer: { isValid: (value: CursorValue) => typeof value === 'number', type: sql`bigint` },
  boolean: { isValid: (value: CursorValue) => typeof value === 'boolean', type: sql`boolean` },
} as const

interface OrderKey<Field extends string = string> {
  /** The field of the rows that has the key's value, and the column unless `column` is given. */
  field: Field
  kind: keyof typeof kinds
  isDescending?: boolean
  column?: RawBuilder<unknown>
  /** What is compared instead of the value itself. */
  rank?: (value: RawBuilder<unknown>) => RawBuilder<unknown>
}

/** The order of a list, whose last key is unique. */
export type Order<Field extends string = string> = readonly OrderKey<Field>[]

export const newestFirst: Order<'created_at' | 'id'> = [
  { field: 'created_at', kind: 'time', isDescending: true },
  { field: 'id', kind: 'uuid', isDescending: true },
]
export const oldestFirst: Order<'created_at' | 'id'> = [
  { field: 'created_at', kind: 'time' },
  { field: 'id', kind: 'uuid' },
]
export const latestIdFirst: Order<'id'> = [{ field: 'id', kind: 'uuid', isDescending: true }]

export const latestVersionFirst: Order<'version'> = [
  { field: 'version', kind: 'integer', isDescending: true },
]

/** Sort by a name as people do, then by id. */
export function nameOrder<Field extends string = 'name'>(field = 'name' as Field): Order<Field | 'id'> {
  return [
    { field, kind: 'name' },
    { field: 'id', kind: 'uuid' },
  ]
}

/**
 * Select a page of a query, and one row more, which only shows that more follow. `table` is the name or alias
 * of the table with the keys.
 */
export function selectPage(order: Order, page: PageQuery, table?: string) {
  return <D, T extends keyof D, O>(query: SelectQueryBuilder<D, T, O>): SelectQueryBuilder<D, T, O> =>
    query
      .where(isAfter(order, page, table))
      .orderBy(writeOrder(order, table))
      .offset(page.skip)
      .limit(page.limit + 1)
}

/** Write the end of a statement whose `where` has a condition, as `selectPage` does. */
export function pageEnd(order: Order, page: PageQuery, table?: string): RawBuilder<unknown> {
  return sql`and ${isAfter(order, page, table)} order by ${writeOrder(order, table)} offset ${page.skip} limit ${page.limit + 1}`
}

/**
 * Cut rows to a page. `order` is that of the statement, or null if values that change by themselves decide.
 */
export function toPage<Field extends string, T extends Record<Field, unknown>>(
  rows: T[],
  { skip, limit }: PageQuery,
  order: Order<Field> | null,
): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  if (!last || rows.length <= limit) return { items, next: null }
  return { items, next: order ? { after: writeCursor(order, last) } : { skip: skip + limit } }
}

function writeCursor(order: Order, row: object): string {
  return encodeCursor(order.map(({ field }) => (row as Record<string, unknown>)[field]))
}

/** Return the cursor of a row with these values of the order's keys. */
export function encodeCursor(values: unknown): string {
  return base64url.encode(JSON.stringify(Cursor.parse(values)))
}

/** Read the values of the keys. Throw 422 for what is no cursor of the order. */
export function readCursor(order: Order, after: string): CursorValue[] {
  const values = parseCursor(after)
  if (
    values?.length === order.length &&
    order.every(({ kind }, n) => kinds[kind].isValid(values[n] as CursorValue))
  )
    return values
  throw invalidField(['query', 'after'], 'must be from the Link of this list')
}

function parseCursor(after: string): CursorValue[] | undefined {
  try {
    return Cursor.safeParse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(base64url.decode(after))),
    ).data
  } catch {
    return undefined
  }
}

export function isAfter(order: Order, { after }: PageQuery, table?: string): RawBuilder<boolean> {
  if (after === undefined) return sql<boolean>`true`
  const values = readCursor(order, after)
  const sides = order.map((key, n) => ({
    ...key,
    left: writeKey(key, table),
    right: writeValue(key, values[n] as CursorValue),
  }))
  const rest = (from: number): RawBuilder<unknown> => {
    const side = sides[from]
    if (!side) return sql`false`
    const { left, right } = side
    return sql`(${left} ${side.isDescending ? sql`<` : sql`>`} ${right} or ${left} = ${right} and ${rest(from + 1)})`
  }
  // One comparison of rows, where the directions are equal, is what an index serves.
  if (sides.some(({ isDescending }) => isDescending !== sides[0]?.isDescending))
    return rest(0) as RawBuilder<boolean>
  const sign = sides[0]?.isDescending ? sql`<` : sql`>`
  return sql<boolean>`(${sql.join(sides.map(({ left }) => left))}) ${sign} (${sql.join(sides.map(({ right }) => right))})`
}

function writeOrder(order: Order, table?: string): RawBuilder<unknown> {
  return sql.join(order.map((key) => sql`${writeKey(key, table)} ${key.isDescending ? sql`desc` : sql`asc`}`))
}

function writeKey({ field, kind, column, rank }: OrderKey, table?: string): RawBuilder<unknown> {
  const value = column ?? sql.ref(table ? `${table}.${field}` : field)
  if (rank) return rank(value)
  return kind === 'name' ? sql`${value} collate "und-x-icu"` : value
}

function writeValue({ kind, rank }: OrderKey, value: CursorValue): RawBuilder<unknown> {
  const parameter = sql`${value}::${kinds[kind].type}`
  return rank ? rank(parameter) : parameter
}
