import type * as z from 'zod'
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import type { Service } from '#test/support/app.ts'
import type { Sample } from './fixture-rows.ts'
import { toInlineSchema } from './generators.ts'
import { listTenantTables } from './row-checksums.ts'

// Values that are as large as schemas allow, in requests and in rows.

type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
}

/** Texts that cost more than their size. */
export const texts: Record<string, (length: number) => string> = {
  'short lines': (length) => 'a\n'.repeat(length).slice(0, length),
  'open brackets': (length) => '<<<<{{{{(((([[[[`**_> '.repeat(Math.ceil(length / 22)).slice(0, length),
  'one long word': (length) => 'x'.repeat(length),
  spaces: (length) => ' '.repeat(length).replace(/^..|..$/g, 'ab'),
  placeholders: (length) => '{{printer_ip}}{{server}}'.repeat(Math.ceil(length / 24)).slice(0, length),
  secrets: (length) => 'password=Tr0ub4dor3 10.0.0.1 aa:bb '.repeat(Math.ceil(length / 35)).slice(0, length),
}

// Fields that are codes, although their schema is only a text: nobody can store another value.
const codeNames =
  /(^|_)(ids?|at|key|keys|url|urls|type|timezone|cron|expression|token|secret|password|email|slug|hash|company|client_id|number)$|_days$/

/**
 * What a field of a name may have at most: characters of its text, or of each value of its map, and items of
 * its list.
 */
interface FieldLimits {
  text: Map<string, number>
  values: Map<string, number>
  items: Map<string, number>
}

let knownLimits: FieldLimits | undefined

/** Read the limits of free texts and lists from the bodies of all operations, by the names of fields. */
export function readFieldLimits(): FieldLimits {
  if (knownLimits) return knownLimits
  const limits: FieldLimits = { text: new Map(), values: new Map(), items: new Map() }
  const raise = (map: Map<string, number>, name: string, value: unknown) => {
    if (typeof value === 'number') map.set(name, Math.max(value, map.get(name) ?? 0))
  }
  const visit = (name: string, schema: Schema, depth: number): void => {
    if (depth === 0) return
    if (isFreeText(schema) && !codeNames.test(name)) raise(limits.text, name, schema.maxLength)
    if (schema.type === 'array') raise(limits.items, name, schema.maxItems)
    for (const branch of [...listBranches(schema), ...(schema.items ? [schema.items] : [])])
      visit(name, branch, depth - 1)
    for (const [key, field] of Object.entries(schema.properties ?? {})) visit(key, field, depth - 1)
    if (typeof schema.additionalProperties === 'object')
      for (const branch of [schema.additionalProperties, ...listBranches(schema.additionalProperties)])
        if (branch.type === 'string') raise(limits.values, name, branch.maxLength)
  }
  for (const { body } of operations as readonly AnyOperation[])
    if (body) visit('', toInlineSchema(body) as Schema, 8)
  knownLimits = limits
  return limits
}

function isFreeText({ type, enum: values, format, pattern, const: constant, maxLength }: Schema): boolean {
  return (
    type === 'string' && !values && !format && !pattern && constant === undefined && Number(maxLength) >= 50
  )
}

function listBranches({ anyOf, oneOf, allOf }: Schema): Schema[] {
  return [anyOf, oneOf, allOf].flatMap((branches) => (branches as Schema[] | undefined) ?? [])
}

interface Inflation {
  limits: FieldLimits
  createText: (length: number) => string
  /** Characters that may still be added. */
  left: number
}

/** Replace the free texts of a JSON value by long ones, and repeat the items of its lists. */
function inflateJson(value: unknown, name: string, inflation: Inflation): unknown {
  if (typeof value === 'string') return inflateText(value, name, inflation)
  if (Array.isArray(value)) {
    const items = value.map((item) => inflateJson(item, name, inflation))
    const size = JSON.stringify(items).length
    const copies = Math.min(
      inflation.limits.items.get(name) ?? items.length,
      Math.floor(inflation.left / 4 / Math.max(1, size)) * items.length,
    )
    for (let index = items.length; items.length > 0 && index < copies; index++)
      items.push(copyItem(items[index % value.length], index))
    inflation.left -= JSON.stringify(items).length - size
    return items
  }
  if (typeof value !== 'object' || value === null) return value
  const { values } = inflation.limits
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      inflateJson(item, values.has(name) ? name : key, inflation),
    ]),
  )
}

function copyItem(item: unknown, index: number): unknown {
  if (typeof item !== 'object' || item === null || !('id' in item)) return item
  return {
    ...item,
    id: typeof item.id === 'string' && item.id.length < 30 ? `${item.id}-${index}` : crypto.randomUUID(),
  }
}

function inflateText(value: string, name: string, inflation: Inflation): string {
  const { text, values } = inflation.limits
  const length = Math.min(text.get(name) ?? values.get(name) ?? 0, inflation.left)
  if (length <= value.length) return value
  inflation.left -= length
  return inflation.createText(length)
}

/**
 * Return the sample with each field of its body as large as the operation takes it, where the body stays
 * valid.
 */
export function inflateSample(
  op: AnyOperation,
  sample: Sample,
  createText: (length: number) => string,
  maxBytes: number,
): Sample {
  const { body: schema } = op
  if (!sample.body || !schema) return sample
  const inflation = { limits: readFieldLimits(), createText, left: maxBytes }
  const isValid = (body: unknown) => (schema as z.ZodType).safeParse(body).success
  const fields = (toInlineSchema(schema) as Schema).properties ?? {}
  const body: Record<string, unknown> = { ...sample.body }
  for (const [name, field] of Object.entries(fields)) {
    const value = body[name] ?? (isFreeText(field) || listBranches(field).some(isFreeText) ? '' : undefined)
    if (value === undefined) continue
    const larger = inflateJson(value, name, inflation)
    if (isValid({ ...body, [name]: larger })) body[name] = larger
  }
  return { ...sample, body }
}

interface Column {
  table: string
  name: string
  type: 'text' | 'jsonb'
}

const columnsByService = new Map<string, Promise<Column[]>>()

/** List the columns of tenant tables that hold JSON, or a text that no key or list of values restricts. */
async function listColumns(service: Service): Promise<Column[]> {
  const tables = await listTenantTables(service)
  const { text, items } = readFieldLimits()
  const columns = await service.sql<Column>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relname = any ($1) and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = '' and a.atttypid in ('text'::regtype, 'jsonb'::regtype)
        and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f') and a.attnum = any (k.conkey))
      order by 1, 2`,
    [tables],
  )
  return columns.filter(({ name, type }) => type === 'jsonb' || text.has(name) || items.has(name))
}

/** Return the columns of the tables in which the account has rows. */
async function getFilledColumns(service: Service, accountId: string): Promise<Column[]> {
  const known = columnsByService.get(service.api) ?? listColumns(service)
  columnsByService.set(service.api, known)
  const columns = await known
  const tables = [...new Set(columns.map(({ table }) => table))]
  const parts = tables.map(
    (table) => `select '${table}' as name where exists (select from ${table} where account_id = $1)`,
  )
  const filled = new Set(
    (await service.sql<{ name: string }>(parts.join(' union all '), [accountId])).map(({ name }) => name),
  )
  return columns.filter(({ table }) => filled.has(table))
}

/**
 * Replace each value of an account by the first of its candidates that the database accepts. A constraint may
 * refuse all: then it stays.
 */
async function replaceValues(
  service: Service,
  accountId: string,
  listCandidates: (column: Column, value: unknown) => Iterable<unknown>,
): Promise<void> {
  for (const column of await getFilledColumns(service, accountId)) {
    const { table, name, type } = column
    const rows = await service.sql<{ place: string; value: unknown }>(
      `select ctid::text as place, ${name} as value from ${table} where account_id = $1 limit 5`,
      [accountId],
    )
    const toText = (value: unknown) => (type === 'jsonb' ? JSON.stringify(value) : String(value))
    const update = `update ${table} set ${name} = $1::${type} where account_id = $2 and ctid = $3::tid`
    for (const { place, value } of rows)
      for (const candidate of listCandidates(column, value)) {
        if (toText(candidate) === toText(value)) break
        const isStored = await service.sql(update, [toText(candidate), accountId, place]).then(
          () => true,
          () => false,
        )
        if (isStored) break
      }
  }
}

/**
 * Make the rows of an account as large as requests could have made them, up to `maxBytes` for each column.
 */
export function inflateRows(
  service: Service,
  accountId: string,
  createText: (length: number) => string,
  maxBytes: number,
): Promise<void> {
  return replaceValues(service, accountId, function* ({ name }, value) {
    if (value === null) return
    for (let left = maxBytes; left > 100; left = Math.floor(left / 4))
      yield inflateJson(value, name, { limits: readFieldLimits(), createText, left })
  })
}

/**
 * Write into each free text of an account's rows what `toTexts` makes of its name, such as
 * `ai_sessions.title`: the first text that the column takes.
 */
export function plantTexts(
  service: Service,
  accountId: string,
  toTexts: readonly ((field: string) => string)[],
): Promise<void> {
  return replaceValues(service, accountId, ({ table, name, type }, value) =>
    value === null && type === 'jsonb'
      ? []
      : toTexts.map((toText) => plantJson(value ?? '', `${table}.${name}`, name, toText)),
  )
}

function plantJson(value: unknown, path: string, name: string, toText: (field: string) => string): unknown {
  const { text, values } = readFieldLimits()
  if (typeof value === 'string') return text.has(name) || values.has(name) ? toText(path) : value
  if (Array.isArray(value)) return value.map((item) => plantJson(item, path, name, toText))
  if (typeof value !== 'object' || value === null) return value
  const plantField = ([key, item]: [string, unknown]) =>
    [
      key,
      values.has(name) ? plantJson(item, path, name, toText) : plantJson(item, `${path}.${key}`, key, toText),
    ] as const
  return Object.fromEntries(Object.entries(value).map(plantField))
}
