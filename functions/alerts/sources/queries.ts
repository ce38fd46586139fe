import { sql } from 'kysely'
import { accountId, bytea, jsonb, now, textArray } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { Source, type SourceCreate, type SourceUpdate } from './schemas.ts'

const sourceColumns = [
  'id',
  'name',
  'format',
  'mapping',
  'is_enabled',
  'severities',
  'tree_id',
  'user_id',
  'schedule_id',
  'urgency',
  'max_cases_per_hour',
  'last_received_at',
  'last_error',
  'created_at',
  'updated_at',
] as const

const selectAccountSources = (db: ReadDb) =>
  db.selectFrom('alert_sources').select(sourceColumns).where('account_id', '=', accountId)

export function selectSources(db: ReadDb, page: PageQuery): Promise<Source[]> {
  return selectAccountSources(db).$call(selectPage(newestFirst, page)).execute()
}

export function selectSource(db: ReadDb, id: string): Promise<Source | undefined> {
  return selectAccountSources(db).where('id', '=', id).executeTakeFirst()
}

/** Insert a source. `tokenHash` is in PostgreSQL's text form. */
export const insertSource = writeStatement(Source, (source: Required<SourceCreate>, tokenHash: string) => {
  const {
    name,
    format,
    mapping,
    is_enabled,
    severities,
    tree_id,
    user_id,
    schedule_id,
    urgency,
    max_cases_per_hour,
  } = source
  return sql`
    insert into alert_sources (name, format, mapping, is_enabled, severities, tree_id, user_id, schedule_id, urgency, max_cases_per_hour, token_hash)
    values (${name}, ${format}, ${mapping && jsonb(mapping)}, ${is_enabled}, ${textArray(severities)}, ${tree_id}, ${user_id}, ${schedule_id},
            ${urgency}, ${max_cases_per_hour}, ${bytea(tokenHash)})
    returning ${sql.join(sourceColumns.map((column) => sql.ref(column)))}`
})

/** Update the columns that are not undefined. */
export async function updateSource(
  db: WriteDb,
  id: string,
  { mapping, severities, ...columns }: SourceUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('alert_sources')
    .set({
      ...columns,
      ...(mapping ? { mapping: jsonb(mapping) } : {}),
      ...(severities ? { severities: textArray(severities) } : {}),
      updated_at: now,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function setToken(db: WriteDb, id: string, tokenHash: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('alert_sources')
    .set({ token_hash: bytea(tokenHash), updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteSource(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('alert_sources')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
