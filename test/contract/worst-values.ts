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

interface Tools {
  columns: readonly Column[]
  /** Reads up to five rows of each table, as `table`, `place` and `values` by column. */
  select: string
}

const toolsByService = new Map<string, Promise<Tools>>()

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

/**
 * Stores values, each in a transaction of its own that may fail. A row moves with each update, so the answer has
 * its new place, or null if another transaction has changed it, and the columns whose value was refused.
 */
const storeFunction = `
  create or replace function test_tools.store_values(p_account uuid, p_rows jsonb) returns table (place text, refused text[])
  language plpgsql as $$
  declare
    v_row jsonb;
    v_value jsonb;
    v_place tid;
  begin
    set constraints all immediate;
    for v_row in select * from jsonb_array_elements(p_rows) loop
      v_place := (v_row ->> 'place')::tid;
      refused := '{}';
      for v_value in select * from jsonb_array_elements(v_row -> 'values') loop
        begin
          execute format('update %I set %I = $1::%s where account_id = $2 and ctid = $3 returning ctid',
            v_row ->> 'table', v_value ->> 'name', v_value ->> 'type')
            into v_place using v_value ->> 'value', p_account, v_place;
        exception when others then refused := refused || (v_value ->> 'name');
        end;
        exit when v_place is null;
      end loop;
      place := v_place;
      return next;
    end loop;
  end $$`

async function createTools(service: Service): Promise<Tools> {
  const columns = await listColumns(service)
  await service.sql('create schema if not exists test_tools')
  await service.sql(storeFunction)
  const parts = [...Map.groupBy(columns, ({ table }) => table)].map(([table, ofTable]) => {
    const values = ofTable.map(({ name }) => `'${name}', ${name}`).join(', ')
    return `(select '${table}' as table, ctid::text as place, jsonb_build_object(${values}) as values from ${table} where account_id = $1 limit 5)`
  })
  return { columns, select: parts.join(' union all ') }
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
  const tools = toolsByService.get(service.api) ?? createTools(service)
  toolsByService.set(service.api, tools)
  const { columns, select } = await tools
  // What has its value already is left, so a row that another transaction has moved is read again.
  for (let rounds = 0, isMoved = true; isMoved && rounds < 5; rounds++) {
    const rows = await service.sql<StoredRow>(select, [accountId])
    isMoved = await storeFirst(
      service,
      accountId,
      rows.map(({ table, place, values }) => ({
        table,
        place,
        open: columns
          .filter((column) => column.table === table)
          .map((column) => ({ column, texts: listTexts(column, values[column.name], listCandidates) })),
      })),
    )
  }
}

interface StoredRow {
  table: string
  place: string
  values: Record<string, unknown>
}

interface OpenRow {
  table: string
  place: string
  /** The columns whose value is not stored yet, with the candidates that were not tried. */
  open: { column: Column; texts: Iterator<string> }[]
}

/** Yield the candidates of a value, until one is the value. */
function* listTexts(
  column: Column,
  value: unknown,
  listCandidates: (column: Column, value: unknown) => Iterable<unknown>,
): Generator<string> {
  const toText = (of: unknown) => (column.type === 'jsonb' ? JSON.stringify(of) : String(of))
  for (const candidate of listCandidates(column, value)) {
    const text = toText(candidate)
    if (text === toText(value)) return
    yield text
  }
}

/** Store the first candidate of each value that is accepted. Return whether another transaction moved a row. */
async function storeFirst(service: Service, accountId: string, rows: readonly OpenRow[]): Promise<boolean> {
  const tried = rows.flatMap((row) => {
    const values = row.open.flatMap(({ column: { name, type }, texts }) => {
      const { done, value } = texts.next()
      return done ? [] : [{ name, type, value }]
    })
    return values.length > 0 ? [{ ...row, values }] : []
  })
  if (tried.length === 0) return false
  const answers = await service.sql<{ place: string | null; refused: string[] }>(
    'select * from test_tools.store_values($1, $2)',
    [accountId, JSON.stringify(tried.map(({ table, place, values }) => ({ table, place, values })))],
  )
  const refused = tried.flatMap(({ table, open }, index): OpenRow[] => {
    const { place, refused = [] } = answers[index] ?? {}
    return place ? [{ table, place, open: open.filter(({ column }) => refused.includes(column.name)) }] : []
  })
  const isMoved = answers.some(({ place }) => place === null)
  return (await storeFirst(service, accountId, refused)) || isMoved
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
