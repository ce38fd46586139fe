import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { jsonb, platformAccountId } from '#db/expressions.ts'
import { listRestoredColumns, type RestoredKindName, restoredKinds } from '#db/restored-columns.ts'
import type { ReadDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type {
  CheckedRecord,
  CheckPosition,
  OwnId,
  SkipList,
} from '#functions/accounts/import-records/schemas.ts'
import type { NewIds, Scope } from '#functions/accounts/import-rows/schemas.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'

// The time of the transaction is that of its start.
const finishedAt = sql`finished_at = app.now() + (clock_timestamp() - transaction_timestamp())`
const importTable = attemptTable('import')

/** Where the next slice starts. */
export type ImportProgress = { skipped: SkipList } & (
  | { stage: 'check'; at: CheckPosition }
  | { stage: 'connect' }
  | { stage: 'prepare'; at: { kind: RestoredKindName; place: number }; prepared: number; records: number }
  | { stage: 'store' }
)

export const ClaimedImport = z.object({
  id: z.string(),
  account_id: z.string(),
  requested_by: z.string().nullable(),
  object_key: z.string(),
  progress: z.custom<ImportProgress>(),
  total: z.coerce.number<number>(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedImport = z.output<typeof ClaimedImport>

export const attempts = attemptStatements('import', ClaimedImport, {
  computed: { total: sql`total::double precision` },
})

/** Record a slice after which another follows. Return no row when a later attempt was claimed. */
export const continueImport = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedImport, progress: ImportProgress, done: number) =>
    importTable.continue(claimed, sql`, progress = ${jsonb(progress)}, done = ${done}`),
)

/** Record the last slice. Return no row when a later attempt was claimed. */
export const completeImport = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedImport, counts: Record<string, number>) =>
    importTable.complete(
      claimed,
      { ok: true, status: null },
      null,
      sql`, ${finishedAt}, done = total, counts = counts || ${jsonb({ restored: counts })}`,
    ),
)

/** Record a failed attempt. `retrySeconds` is null when no attempt follows; `problem` is then the answer. */
export const failImport = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedImport, result: SendResult, retrySeconds: number | null, problem: object | null) =>
    importTable.complete(
      claimed,
      result,
      retrySeconds,
      retrySeconds === null ? sql`, problem = ${jsonb(problem)}, ${finishedAt}` : sql``,
    ),
)

const isOfImport = (importId: string) => sql`r.account_id = app.account_id() and r.import_id = ${importId}`

/** Insert checked records. Return the places of those whose key is new. */
export const insertRecords = writeStatement(
  z.object({ kind: z.string(), place: z.int() }),
  (importId: string, records: readonly CheckedRecord[]) => sql`
    insert into account_import_records (import_id, kind, place, key, is_valid, parent, record, length)
    select ${importId}, n.kind, n.place, n.key, n.is_valid, n.parent, n.record, n.length
      from jsonb_to_recordset(${jsonb(records)})
        as n (kind text, place integer, key text, is_valid boolean, parent text, record jsonb, length integer) order by n.kind, n.place
    on conflict (account_id, import_id, kind, key) do nothing
    returning kind, place`,
)

/** Select those of these versions of flows that were checked, by their keys. */
export const selectVersions = readStatement(
  z.object({ key: z.string(), is_valid: z.boolean() }),
  (importId: string, keys: readonly string[]) => sql`
    select r.key, r.is_valid from account_import_records r
     where ${isOfImport(importId)} and r.kind = 'flow_versions' and r.key in (select jsonb_array_elements_text(${jsonb(keys)}))`,
)

/**
 * Give teams and categories the id of the one of the account, or the first of the archive, that has the same
 * name.
 */
export const connectNames = writeStatement(
  null,
  (importId: string) => sql`
    with named as (
      select 'teams' as kind, app.name_key(t.name) as name, t.id, 0 as place from teams t where t.account_id = app.account_id()
      union all select 'categories', app.name_key(c.name), c.id, 0 from categories c where c.account_id = app.account_id()
      union all select 'script_categories', app.name_key(c.name), c.id, 0 from script_categories c where c.account_id = app.account_id()
      union all select r.kind, app.name_key(r.record ->> 'name'), r.new_id, r.place from account_import_records r
       where ${isOfImport(importId)} and r.kind in ('teams', 'categories', 'script_categories')
    ), chosen as (select distinct on (kind, name) * from named order by kind, name, place)
    update account_import_records r set new_id = c.id, is_existing = true from chosen c
     where ${isOfImport(importId)} and r.kind = c.kind and app.name_key(r.record ->> 'name') = c.name and r.place <> c.place`,
)

/**
 * Connect forks with the flows of the archive. A flow whose line of parents is a circle or longer than 1000
 * has no parent.
 */
export const connectForks = writeStatement(
  null,
  (importId: string) => sql`
    with recursive flows as (select r.key, r.parent from account_import_records r where ${isOfImport(importId)} and r.kind = 'flows'),
    lines as (
      select f.key, null::text as parent, null::text as root, 0 as depth from flows f
       where not exists (select from flows p where p.key = f.parent)
      union all
      select r.key, l.key, coalesce(l.root, l.key), l.depth + 1 from lines l join account_import_records r
          on ${isOfImport(importId)} and r.kind = 'flows' and r.parent = l.key
       where l.depth < 1000)
    update account_import_records r set parent = l.parent, root = l.root, depth = coalesce(l.depth, 0)
      from flows f left join lines l on l.key = f.key
     where ${isOfImport(importId)} and r.kind = 'flows' and r.key = f.key and r.parent is not null`,
)

/** Delete the versions whose flow is not restored. */
export const deleteLostVersions = writeStatement(
  null,
  (importId: string) => sql`
    delete from account_import_records r
     where ${isOfImport(importId)} and r.kind = 'flow_versions'
       and not (r.is_valid and exists (
         select from account_import_records f
          where f.account_id = r.account_id and f.import_id = r.import_id and f.kind = 'flows' and f.key = r.parent))`,
)

export const countRecords = readStatement(
  z.object({ kind: notNull<string>(), count: z.int() }),
  (importId: string) => sql`
    select r.kind, count(*)::integer as count from account_import_records r where ${isOfImport(importId)} and not r.is_existing group by r.kind`,
)

/** A record to prepare. `record` is JSON. */
export const NextRecord = z.object({
  place: z.int(),
  id: notNull<OwnId>(),
  parent: z.string().nullable(),
  root: z.string().nullable(),
  depth: z.int(),
  record: notNull<string>(),
})

const nextRecords = 500

/** Select the next records of a kind: as many as fit into `maxLength` characters, but at least one. */
export const selectRecords = readStatement(
  NextRecord,
  (importId: string, kind: RestoredKindName, after: number, maxLength: number) => sql`
    select n.place, n.new_id as id, n.parent, n.root, n.depth, n.record::text as record from (
      select r.*, sum(r.length) over (order by r.place) - r.length as length_before from (
        select * from account_import_records r where ${isOfImport(importId)} and r.kind = ${kind} and r.place > ${after}
         order by r.place limit ${nextRecords}::integer) r) n
     where n.length_before < ${maxLength}::integer order by n.place`,
)

export const NewId = z.object({ kind: notNull<keyof NewIds>(), key: z.string(), id: notNull<OwnId>() })

/** Select the new ids of the records that have these ids. */
export const selectNewIds = readStatement(
  NewId,
  (importId: string, ids: readonly string[]) => sql`
    select r.kind, r.key, r.new_id as id from account_import_records r
     where ${isOfImport(importId)} and r.kind in ('teams', 'categories', 'script_categories', 'scripts', 'flows')
       and r.key in (select jsonb_array_elements_text(${jsonb(ids)}))`,
)

/** Replace records by their rows. Those without a row are deleted. */
export const updateRecords = writeStatement(
  null,
  (importId: string, kind: RestoredKindName, rows: readonly { place: number; row: object | null }[]) => sql`
    with n as (select * from jsonb_to_recordset(${jsonb(rows)}) as n (place integer, "row" jsonb)),
    deleted as (
      delete from account_import_records r using n where ${isOfImport(importId)} and r.kind = ${kind} and r.place = n.place and n."row" is null)
    update account_import_records r set record = n."row" from n
     where ${isOfImport(importId)} and r.kind = ${kind} and r.place = n.place and n."row" is not null`,
)

/** Select what rows refer to. */
export const selectScope = readStatement(
  z.object({
    account_id: notNull<Scope['account_id']>(),
    team_id: z.string().brand<'OwnId'>().nullable(),
    now: notNull<string>(),
  }),
  () => sql`
    select app.account_id(), (select u.team_id from users u where u.account_id = app.account_id() and u.id = app.user_id()) as team_id, app.now()`,
)

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

/** Start to store the rows, and write the audit entry. Return false if the account is not empty. */
export const startImport = writeStatement(
  z.object({ is_started: z.boolean() }),
  (counts: Record<string, number>) =>
    sql`select ${callFunction('app.start_import', { p_counts: JSON.stringify(counts) })} as is_started`,
)

const selectColumns = (kind: RestoredKindName) => {
  const columns = sql.join(listRestoredColumns(kind).map((column) => sql.ref(column)))
  return { table: sql.table(restoredKinds[kind].table), columns }
}

export const updateSettings = writeStatement(null, (importId: string) => {
  const { table, columns } = selectColumns('account')
  return sql`
    update ${table} set (${columns}) = (
      select ${columns} from account_import_records r cross join lateral jsonb_populate_record(null::${table}, r.record) as p
       where ${isOfImport(importId)} and r.kind = 'account')
     where id = app.account_id()
       and exists (select from account_import_records r where ${isOfImport(importId)} and r.kind = 'account')`
})

// A statement has 5 s, and each flow is indexed.
const insertedRows = 50
const insertedLength = 256 * 1024

/** The last row that was inserted. */
const Inserted = z.object({ depth: z.int(), place: z.int() })

/**
 * Insert the next rows of a kind, those of parents first: at most 50, or 256 KiB. Return the last one, or no
 * row when none was left. Ignore a device type or a step that exists already: the service ships some, and
 * published flows bring theirs.
 */
export const insertRows = writeStatement(
  Inserted,
  (importId: string, kind: Exclude<RestoredKindName, 'account'>, after: z.output<typeof Inserted>) => {
    const { table, columns } = selectColumns(kind)
    const onConflict =
      kind === 'device_types' || kind === 'library_steps' ? sql`on conflict do nothing` : sql``
    return sql`
      with page as (
        select n.depth, n.place, n.record from (
          select r.*, sum(r.length) over (order by r.depth, r.place) - r.length as length_before from (
            select * from account_import_records r
             where ${isOfImport(importId)} and r.kind = ${kind} and not r.is_existing and (r.depth, r.place) > (${after.depth}::integer, ${after.place}::integer)
             order by r.depth, r.place limit ${insertedRows}::integer) r) n
         where n.length_before < ${insertedLength}::integer),
      inserted as (
        insert into ${table} (${columns})
        select ${columns} from (
          select p.* from page cross join lateral jsonb_populate_record(null::${table}, page.record) as p order by page.depth, page.place) rows
        ${onConflict})
      select depth, place from page order by depth desc, place desc limit 1`
  },
)

/** Delete up to `limit` records of imports that are over. */
export const deleteRecords = writeStatement(
  null,
  (limit: number) => sql`
    delete from account_import_records where ctid = any (array(
      select r.ctid from account_imports i join account_import_records r on r.account_id = i.account_id and r.import_id = i.id
       where i.state in ('succeeded', 'failed') limit ${limit} for update of r skip locked))`,
)
