import { sql } from 'kysely'
import { fullSession } from '../../../lib/db/rows/sessions.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { SupportingRow } from '../../../lib/exports/report.ts'
import type { SessionRow } from '../../../lib/flows/session.ts'
import type { Entering } from '../../../lib/http/operation.ts'

/** How the caller's exports look, and whose name they bear. */
export interface Setting {
  preferences: Record<string, unknown>
  timezone: string
  company_name: string
  primary_colour: string | null
  footer_text: string | null
  /** The logo's object, and its size in pixels. */
  logo: { key: string; width: number; height: number } | null
}

/** A session with all that an export shows, in one round trip. */
export async function selectExport(
  db: ReadDb,
  id: string,
): Promise<{ session: SessionRow | undefined; supporting: SupportingRow[]; setting: Setting }> {
  const supporting = sql<SupportingRow>`
    select d.kind, d.title, d.content, d.step_id from session_supporting_data d
     where d.account_id = app.account_id() and d.session_id = ${id} order by d.created_at, d.id`
  // The team whose session it is; its technician's where it has none.
  const setting = sql<Setting>`
    select a.preferences, me.timezone, coalesce(t.branding_company_name, a.name) as company_name,
           t.branding_primary_colour as primary_colour, t.branding_footer_text as footer_text,
           case when l.id is not null then jsonb_build_object('key', l.object_key, 'width', l.width, 'height', l.height) end as logo
      from accounts a
      join users me on me.account_id = a.id and me.id = app.user_id()
      left join sessions s on s.account_id = a.id and s.id = ${id}
      left join users u on u.account_id = a.id and u.id = s.user_id
      left join teams t on t.account_id = a.id and t.id = coalesce(s.team_id, u.team_id)
      left join uploads l on l.account_id = a.id and l.id = t.branding_logo_upload_id
     where a.id = app.account_id()`
  const [sessions, items, settings] = await db.batch([
    statement(db as WriteDb, fullSession(id)),
    statement(db, supporting),
    statement(db, setting),
  ])
  return { session: sessions[0], supporting: items, setting: settings[0] as Setting }
}

/** Says of a completed session that it was exported, unless it says so already. */
export function markExported(entering: Entering, id: string) {
  return entering<{ marked: boolean }>('app.mark_exported', id)
}
