import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { jsonb, platformAccountId } from '#db/expressions.ts'
import { listRestoredColumns, type RestoredColumn, type RestoredKindName, restoredKinds } from '#db/restored-columns.ts'
import type { ReadDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { OwnId, RecordOf } from '#functions/accounts/import-records/schemas.ts'

type Value = string | number | boolean | object
/** Ids are those of this account, so that an id of the archive cannot be written. */
type ColumnValue<C> = C extends 'source_node_id'
  ? string | null
  : C extends 'id'
    ? OwnId
    : C extends `${string}_id`
      ? OwnId | null
      : Value | null
/** A row of a kind as an import writes it. Fields that are no restored columns are ignored. */
export type RestoredRow<K extends RestoredKindName> = { [C in RestoredColumn<K>]: ColumnValue<C> }

/** Start the import, and write its audit entry. Return false if the account is not empty. */
export const startImport = writeStatement(
  z.object({ is_started: z.boolean() }),
  (counts: Record<string, number>) => sql`select ${callFunction('app.start_import', { p_counts: JSON.stringify(counts) })} as is_started`,
)

/** Select the ids and names of what an import does not create a second time. */
export const selectNamed = readStatement(
  z.object({ kind: z.enum(['teams', 'categories', 'script_categories']), id: notNull<OwnId>(), name: notNull<string>() }),
  () => sql`
    select 'teams' as kind, t.id, t.name from teams t where t.account_id = app.account_id()
    union all select 'categories', c.id, c.name from categories c where c.account_id = app.account_id()
    union all select 'script_categories', c.id, c.name from script_categories c where c.account_id = app.account_id()`,
)

/** Select what the rows of an import need from its scope. */
export const selectScope = readStatement(
  z.object({ account_id: notNull<OwnId>(), team_id: z.string().brand<'OwnId'>().nullable(), now: notNull<string>() }),
  () => sql`select app.account_id(), app.team_id(), app.now()`,
)

const selectRows = (kind: RestoredKindName, rows: readonly object[]) => {
  const columns = sql.join(listRestoredColumns(kind).map((column) => sql.ref(column)))
  const table = sql.table(restoredKinds[kind].table)
  return { table, columns, select: sql`select ${columns} from jsonb_populate_recordset(null::${table}, ${jsonb(rows)})` }
}

export const updateSettings = writeStatement(null, (settings: RecordOf<'account'>) => {
  const { table, columns, select } = selectRows('account', [settings])
  return sql`update ${table} set (${columns}) = (${select}) where id = app.account_id()`
})

/** Insert the rows of a kind. Ignore a device type or a step that exists already: the service ships some, and published flows bring theirs. */
export const insertRows = writeStatement(null, (kind: Exclude<RestoredKindName, 'account'>, rows: readonly object[]) => {
  const { table, columns, select } = selectRows(kind, rows)
  const onConflict = kind === 'device_types' || kind === 'library_steps' ? sql`on conflict do nothing` : sql``
  return sql`insert into ${table} (${columns}) ${select} ${onConflict}`
})

/** Select the published flows that ship with the service. Every account can run them as sub-flows. */
export function selectPlatformFlows(db: ReadDb): Promise<{ id: OwnId }[]> {
  return db
    .selectFrom('trees')
    .select('id')
    .where('account_id', '=', platformAccountId)
    .where('status', '=', sql.lit('published'))
    .where('deleted_at', 'is', null)
    .$narrowType<{ id: OwnId }>()
    .execute()
}
