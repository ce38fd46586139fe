import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { articleVendors, type ListedArticle } from '#vendors/articles/articles.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'

const batchTable = attemptTable('kb_batch')

/** A batch that a worker has leased for a slice. */
export const ClaimedBatch = z.object({
  id: z.string(),
  account_id: z.string(),
  team_id: z.string().nullable(),
  created_by: z.string(),
  source: z.enum(['zip', 'url', ...articleVendors]),
  address: z.string().nullable(),
  object_key: z.string().nullable(),
  /** Encrypted. */
  api_key: z.string().nullable(),
  list_position: z.string().nullable(),
  done: z.int(),
  total: z.int(),
  attempts: z.int(),
  max_attempts: z.int(),
  /** After a day, a vendor that is always busy counts as a failure. */
  is_old: z.boolean(),
})
export type ClaimedBatch = z.output<typeof ClaimedBatch>

export const attempts = attemptStatements('kb_batch', ClaimedBatch, {
  computed: { is_old: sql`created_at < app.now() - interval '1 day'` },
})

/**
 * Record a slice after which another follows. Return no row when a later attempt was claimed, or the batch
 * was canceled.
 */
export const continueBatch = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedBatch, done: number) => batchTable.continue(claimed, sql`, done = ${done}`),
)

/**
 * Record that the vendor limits our calls: the same slice follows after `delaySeconds`, with as many attempts
 * left. Return no row as `continueBatch` does.
 */
export const postponeBatch = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedBatch, delaySeconds: number) => batchTable.postponeSlice(claimed, delaySeconds),
)

/** Record how far the vendor's list was read. Return no row as `continueBatch` does. */
export const recordListing = writeStatement(
  z.object({ id: z.string() }),
  (
    claimed: ClaimedBatch,
    { position, total, problem }: { position: string | null; total: number; problem: string | null },
  ) =>
    batchTable.continue(
      claimed,
      sql`, list_position = ${position}, total = ${total}, problem = coalesce(${problem}, problem)`,
    ),
)

/**
 * Record the last slice, or a failed attempt. `retrySeconds` is null when no attempt follows. Return no row
 * as `continueBatch` does.
 */
export const completeBatch = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedBatch, result: SendResult, retrySeconds: number | null, done: number) =>
    batchTable.complete(
      claimed,
      result,
      retrySeconds,
      retrySeconds === null
        ? sql`, done = ${done}, ${result.ok ? sql`` : sql`problem = ${result.error},`} finished_at = app.now()`
        : sql``,
    ),
)

/** Enter the team of a batch, to which its imports belong. */
export const enterTeam = writeStatement(
  z.object({ enter_team: z.string().nullable() }),
  (teamId: string) => sql`select app.enter_team(${teamId})`,
)

export interface NewItem {
  place: number
  name: string
  import_id: string | null
  problem: string | null
}

/** Store what became of articles. Those of a vendor were listed before. */
export const saveItems = writeStatement(
  null,
  (batchId: string, items: readonly NewItem[]) => sql`
    insert into kb_batch_items (batch_id, place, name, import_id, problem)
    select ${batchId}, place, name, import_id, problem from jsonb_to_recordset(${jsonb(items)})
      as n (place integer, name text, import_id uuid, problem text)
    on conflict (account_id, batch_id, place) do update set import_id = excluded.import_id, problem = excluded.problem`,
)

/**
 * Add listed articles to a batch until it has `max`. One that is listed twice is added once. Return the
 * number of added and of new articles.
 */
export const addListed = writeStatement(
  z.object({ added: z.int(), found: z.int() }),
  (claimed: ClaimedBatch, listed: readonly ListedArticle[], max: number) => sql`
    with listed as (
      select value ->> 'id' as source_id, min(n) as n, (array_agg(value ->> 'name' order by n))[1] as name
        from jsonb_array_elements(${jsonb(listed)}) with ordinality as l (value, n) group by 1),
    fresh as (
      select source_id, name, ${claimed.total}::integer + row_number() over (order by n) as number from listed l
       where not exists (select from kb_batch_items i
                          where i.account_id = app.account_id() and i.batch_id = ${claimed.id} and i.source_id = l.source_id)),
    added as (
      insert into kb_batch_items (batch_id, place, name, source_id)
      select ${claimed.id}, number - 1, name, source_id from fresh where number <= ${max} returning place)
    select (select count(*) from added)::integer as added, (select count(*) from fresh)::integer as found`,
)

/** Select the next articles of a vendor. */
export const selectListed = readStatement(
  z.object({ name: z.string(), source_id: z.string() }),
  ({ account_id, id, done }: ClaimedBatch, limit: number) => sql`
    select name, coalesce(source_id, '') as source_id from kb_batch_items
     where account_id = ${account_id} and batch_id = ${id} and place >= ${done} order by place limit ${limit}`,
)
