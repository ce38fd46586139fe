import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, isEditable, mayChange } from '#db/expressions.ts'
import { newestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { KbBatch, KbBatchItem } from './schemas.ts'

const columns = sql`
  b.id, b.source, b.address, case when b.state = 'retrying' or b.state = 'queued' and b.attempts > 0 then 'running' else b.state end as status,
  jsonb_build_object('done', b.done, 'total', b.total,
    'phase', case when b.state not in ('queued', 'retrying') then 'finished' when b.attempts = 0 then 'waiting'
                     when b.list_position is not null then 'listing' else 'importing' end) as progress, b.problem, b.created_by, b.created_at, b.finished_at`
const articles = sql`
  coalesce((select jsonb_agg(jsonb_build_object('name', i.name, 'import_id', i.import_id, 'problem', i.problem) order by i.place)
              from kb_batch_items i where i.account_id = b.account_id and i.batch_id = b.id and i.place < b.done), '[]')`

export const selectBatches = readStatement(
  KbBatchItem,
  (page: PageQuery) => sql`
    select ${columns} from kb_batches b where b.account_id = ${accountId}
     ${pageEnd(newestFirst, page, 'b')}`,
)

export const KbBatchRow = KbBatch.extend({ may_change: z.boolean() })

export const selectBatch = readStatement(
  KbBatchRow,
  (id: string) => sql`
    select ${columns}, ${articles} as articles, ${mayChange('b.created_by', 'b.team_id')} as may_change
      from kb_batches b where b.account_id = ${accountId} and b.id = ${id}`,
)

export interface NewBatch {
  id: string
  source: KbBatch['source']
  address?: string
  object_key?: string
  /** Encrypted. */
  api_key?: string
  /** Unknown until the articles of a vendor are listed. */
  total?: number
}

/** Insert a batch. Return no row while another one of the account is open. */
export const insertBatch = writeStatement(
  KbBatch,
  ({ id, source, address, object_key, api_key, total = 0 }: NewBatch) => sql`
    with b as (
      insert into kb_batches (id, team_id, source, address, object_key, api_key, list_position, total)
      values (${id}, app.team_id(), ${source}, ${address ?? null}, ${object_key ?? null}, ${api_key ?? null}, ${api_key ? '' : null}, ${total})
      on conflict (account_id) where state in ('queued', 'retrying') do nothing returning *)
    select ${columns}, '[]'::jsonb as articles from b`,
)

/** End an open batch that the caller may change. A slice that runs meanwhile stores nothing. */
export const cancelBatch = writeStatement(
  z.object({ id: z.string() }),
  (id: string) => sql`
    update kb_batches b set state = 'canceled', next_attempt_at = null, leased_until = null, finished_at = app.now()
     where b.id = ${id} and ${isEditable('b')} and b.state in ('queued', 'retrying') returning b.id`,
)
