import { sql } from 'kysely'
import * as z from 'zod'
import type { ExportedTable } from '#db/account-data.ts'
import { accountId, nowText } from '#db/expressions.ts'
import { selectTreesWithContent } from '#db/rows/trees.ts'
import type { ReadDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'

const RecordRow = z.object({ key: z.array(z.string()), line: z.string() })

/**
 * Select the next records of a table as lines of JSON, in the order of its key: as many as fit into
 * `maxBytes`, but at least one. `after` is the key of the last record; null starts with the first.
 */
export const selectRecords = readStatement(
  RecordRow,
  (
    { table, key, columns, computed = {}, limit }: ExportedTable,
    after: readonly string[] | null,
    maxBytes: number,
  ) => {
    const keys = Object.entries(key)
    const keyColumns = sql.join(keys.map(([name]) => sql.ref(`t.${name}`)))
    const fields = sql.join([
      ...columns.map((name) => sql.ref(`t.${name}`)),
      ...Object.entries(computed).map(
        ([name, expression]) => sql`${sql.raw(expression)} as ${sql.ref(name)}`,
      ),
    ])
    const isNext = after
      ? sql`and (${keyColumns}) > (${sql.join(keys.map(([, type], n) => sql`${after[n]}::${sql.raw(type)}`))})`
      : sql``
    const texts = sql.join(keys.map(([name]) => sql`${sql.ref(`t.${name}`)}::text`))
    const account = sql.ref(table === 'accounts' ? 't.id' : 't.account_id')
    return sql`
      select s.key, s.line from (
        select r.key, r.line, r.place, sum(octet_length(r.line)) over (order by r.place) - octet_length(r.line) as bytes_before from (
          select p.key, p.place, row_to_json(p.fields)::text as line from (
            select array[${texts}] as key, row(${keyColumns}) as place, (select x from (select ${fields}) x) as fields from ${sql.table(table)} t
             where ${account} = app.account_id() ${isNext} order by ${keyColumns} limit ${limit}::integer) p) r) s
       where s.bytes_before < ${maxBytes}::bigint order by s.place`
  },
)

/**
 * Select the next flows that are not deleted, with their current content. `after` is the id of the last one.
 */
export function selectFlows(db: ReadDb, after: string | null, limit: number) {
  const flows = selectTreesWithContent(db).where('t.account_id', '=', accountId).orderBy('t.id').limit(limit)
  return (after === null ? flows : flows.where('t.id', '>', after)).execute()
}

/** Select the objects of the next uploads. `after` is the id of the last one. */
export const selectUploads = readStatement(
  z.object({ id: z.string(), object_key: z.string() }),
  (after: string | null, limit: number) => sql`
    select u.id, u.object_key from uploads u
     where u.account_id = app.account_id() and (${after}::uuid is null or u.id > ${after}::uuid) order by u.id limit ${limit}::integer`,
)

export function selectAccount(db: ReadDb): Promise<{ id: string; name: string; finished_at: string }> {
  return db
    .selectFrom('accounts')
    .select(['id', 'name', nowText.as('finished_at')])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
}
