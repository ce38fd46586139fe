import type pg from 'pg'
import { exportedTables, tablesLeftOut } from '#db/account-data.ts'
import { accountBatches, erasure, type PersonFate } from '#db/erasure.ts'
import { retention } from '#db/retention.ts'

interface Table {
  name: string
  has_account: boolean
  is_protected: boolean
}

interface PersonTrigger {
  name: string
  /** The body of its function. */
  source: string
}

interface ForeignKey {
  child: string
  parent: string
  deletes_rows: boolean
}

/**
 * Return what the tables of a migrated database lack of what CONTRIBUTING.md asks for a table, as sentences
 * that say where it is added.
 */
export async function listTableProblems(client: pg.ClientBase): Promise<string[]> {
  const { rows: tables } = await client.query<Table>(`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as is_protected,
           exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped) as has_account
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations' order by 1`)
  const { rows: keys } = await client.query<ForeignKey>(`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent, confdeltype = 'c' as deletes_rows
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conrelid <> confrelid`)
  // `app.delete_with_person` makes a trigger; what is deleted in another way is in the functions of the erasure.
  const { rows: triggers } = await client.query<PersonTrigger>(`
    select substr(tgname, 8) as name, '' as source from pg_trigger where tgfoid = 'app.delete_rows_of_person'::regproc
    union all select proname, prosrc from pg_proc where pronamespace = 'app'::regnamespace and proname in ('erase_user', 'erase_addresses', 'erase_traces')`)
  return [
    ...tables
      .filter(({ name }) => isExported(name) === isLeftOut(name))
      .map(({ name }) => `${name}: say in lib/db/account-data.ts that an export has it, or why it has not`),
    ...tables
      .filter(({ has_account, is_protected }) => has_account && !is_protected)
      .map(({ name }) => `${name}: every account could read its rows; \`call app.protect('${name}')\``),
    ...listErasureProblems(keys),
    ...tables.flatMap(({ name }) => listPersonProblems(name, triggers, keys)),
    ...listRetentionProblems(keys),
  ]
}

const isExported = (name: string) => exportedTables.some(({ table }) => table === name)
const isLeftOut = (name: string) => name in tablesLeftOut

/** Rows of a table are deleted before those that they refer to, or with an owner that a key deletes them with. */
function listErasureProblems(keys: readonly ForeignKey[]): string[] {
  const places = new Map(accountBatches.map(({ table }, place) => [table as string, place]))
  const placeOf = (table: string) => places.get(table) ?? Number.POSITIVE_INFINITY
  return keys
    .filter(({ child, parent }) => places.has(child) && placeOf(child) > placeOf(parent))
    .map(
      ({ child, parent }) =>
        `${child}: place it before ${parent} in lib/db/erasure.ts, to which its rows refer`,
    )
}

function listPersonProblems(
  table: string,
  triggers: readonly PersonTrigger[],
  keys: readonly ForeignKey[],
): string[] {
  const fates: Record<string, { person: PersonFate }> = erasure
  const losesRows = (name: string) => fates[name]?.person.rows === 'deleted'
  const saysDeleted = losesRows(table)
  const isDeletedWithPerson = triggers.some(({ name, source }) => name === table && source === '')
  const endsWithParent = keys.some(
    ({ child, parent, deletes_rows }) => deletes_rows && child === table && losesRows(parent),
  )
  const isDeleted = triggers.some(({ source }) => new RegExp(`delete from ${table}\\b`).test(source))
  if (isDeletedWithPerson && !saysDeleted)
    return [`${table}: say in lib/db/erasure.ts that the rows of a person are deleted`]
  if (!saysDeleted || isDeletedWithPerson || isDeleted || endsWithParent) return []
  return [`${table}: nothing deletes the rows of a person; \`call app.delete_with_person('${table}')\``]
}

function listRetentionProblems(keys: readonly ForeignKey[]): string[] {
  return Object.entries(retention).flatMap(([table, policy]) => {
    if (policy.kind !== 'with') return []
    const endsWithParent = keys.some(
      ({ child, parent, deletes_rows }) => deletes_rows && child === table && parent === policy.parent,
    )
    return endsWithParent
      ? []
      : [
          `${table}: no foreign key deletes its rows with those of ${policy.parent}, as lib/db/retention.ts says`,
        ]
  })
}
