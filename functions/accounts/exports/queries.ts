import { sql } from 'kysely'
import * as z from 'zod'
import { newestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import type { PlatformDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { ExportProgress } from '#rules/exports/account-archive.ts'
import type { ExportGrant } from '#vendors/auth/export-tokens.ts'
import { AccountExport, type ExportCreate } from './schemas.ts'

const columns = sql`
  e.id, e.contents, e.bytes as size, coalesce(e.progress -> 'counts', '{}') as counts,
  coalesce(e.progress -> 'stages', '{"done": 0, "total": 0}') || jsonb_build_object('phase',
    case when e.state not in ('queued', 'retrying') then 'finished' when e.attempts = 0 then 'waiting' else 'writing' end) as progress, e.requested_by, e.created_at, e.ready_at, e.expires_at,
  case when e.state = 'ready' and e.expires_at <= app.now() then 'expired' when e.state = 'retrying' or e.state = 'queued' and e.attempts > 0 then 'running'
       else e.state end as status`

export const selectExports = readStatement(
  AccountExport,
  (page: PageQuery) => sql`
    select ${columns} from account_exports e where e.account_id = app.account_id()
     ${pageEnd(newestFirst, page, 'e')}`,
)

export const selectExport = readStatement(
  AccountExport,
  (id: string) =>
    sql`select ${columns} from account_exports e where e.account_id = app.account_id() and e.id = ${id}`,
)

/** Insert an export. Return no row while another one of the account is open. */
export const insertExport = writeStatement(
  AccountExport,
  ({ contents }: ExportCreate) => sql`
    with e as (
      insert into account_exports (contents) values (${contents})
      on conflict (account_id) where state in ('queued', 'retrying') do nothing returning *)
    select ${columns} from e`,
)

/**
 * Count a link to an archive that can be downloaded. Return when the link ends, and the seconds until then.
 */
export const countLink = writeStatement(
  z.object({ expires_at: notNull<string>(), seconds: z.int() }),
  (id: string) => sql`
    update account_exports set links = links + 1
     where account_id = app.account_id() and id = ${id} and state = 'ready' and expires_at > app.now()
    returning least(expires_at, app.now() + interval '24 hours')::timestamptz(3) as expires_at,
              ceil(extract(epoch from least(expires_at, app.now() + interval '24 hours') - app.now()))::integer as seconds`,
)

const Download = z.object({
  account_name: z.string(),
  ready_at: notNull<string>(),
  progress: z.custom<ExportProgress>(),
})

/**
 * Select an archive that can be downloaded, if the creator of the link is still an active admin of its
 * account.
 */
export const selectDownload = readStatement(
  Download,
  ({ exportId, accountId, userId }: ExportGrant) => sql`
    select a.name as account_name, e.ready_at, e.progress
      from account_exports e join accounts a on a.id = e.account_id join users u on u.account_id = e.account_id and u.id = ${userId}
     where e.account_id = ${accountId} and e.id = ${exportId} and e.state = 'ready' and e.expires_at > app.now()
       and u.is_active and u.role = 'admin'`,
)

/** Select the next parts of an archive with the keys of their objects. */
export function selectParts(
  db: PlatformDb,
  { exportId, accountId }: ExportGrant,
  after: number,
): Promise<{ number: number; object_key: string }[]> {
  return db
    .selectFrom('account_export_parts')
    .select(['number', 'object_key'])
    .where('account_id', '=', accountId)
    .where('export_id', '=', exportId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(100)
    .execute()
}

/** Select the directories of the next parts, in base64. */
export const selectDirectories = readStatement(
  z.object({ number: z.int(), directory: notNull<string>() }),
  ({ exportId, accountId }: ExportGrant, after: number) => sql`
    select p.number, encode(p.directory, 'base64') as directory from account_export_parts p
     where p.account_id = ${accountId} and p.export_id = ${exportId} and p.number > ${after}::integer order by p.number limit 20`,
)
