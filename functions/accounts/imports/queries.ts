import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, jsonb } from '#db/expressions.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import { AccountImport } from './schemas.ts'

const columns = sql`
  i.id, case when i.state = 'retrying' or i.state = 'queued' and i.attempts > 0 then 'running' else i.state end as status,
  jsonb_build_object('done', i.done, 'total', i.total, 'phase',
    case when i.state not in ('queued', 'retrying') then 'finished' when i.attempts = 0 then 'waiting' when i.progress ->> 'stage' = 'store' then 'storing'
         when i.progress ->> 'stage' = 'check' then 'checking' else 'preparing' end) as progress, coalesce(i.counts -> 'restored', '{}') as restored,
  i.counts -> 'not_restored' as not_restored, i.progress -> 'skipped' -> 'records' as skipped, (i.progress -> 'skipped' ->> 'count')::integer as skipped_count,
  i.problem, i.requested_by, i.created_at, i.finished_at`

export const selectImport = readStatement(
  AccountImport,
  (id: string) =>
    sql`select ${columns} from account_imports i where i.account_id = ${accountId} and i.id = ${id}`,
)

/** Return whether the account has nothing that an import would mix with. */
export const isEmpty = readStatement(
  z.object({ is_empty: notNull<boolean>() }),
  () => sql`select ${callFunction('app.is_empty', { p_account: accountId })} as is_empty`,
)

interface NewImport {
  id: string
  object_key: string
  progress: object
  total: number
  not_restored: Record<string, number>
}

/** Insert an import. Return no row while another one of the account is open. */
export const insertImport = writeStatement(
  AccountImport,
  ({ id, object_key, progress, total, not_restored }: NewImport) => sql`
    with i as (
      insert into account_imports (id, object_key, progress, total, counts)
      values (${id}, ${object_key}, ${jsonb(progress)}, ${total}, ${jsonb({ not_restored })})
      on conflict (account_id) where state in ('queued', 'retrying') do nothing returning *)
    select ${columns} from i`,
)
