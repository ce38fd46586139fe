import { sql } from 'kysely'
import { fullSession } from '../../../lib/db/rows/sessions.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { SupportingDataRow } from '../../../lib/exports/report.ts'
import type { SessionRow } from '../../../lib/flows/session-row.ts'
import type { CallFunction } from '../../../lib/http/operation.ts'

/** The preferences of the account, the caller's time zone and the branding of the export. */
export interface ExportSettings {
  preferences: Record<string, unknown>
  timezone: string
  company_name: string
  primary_colour: string | null
  footer_text: string | null
  /** The storage key of the logo, and its size in pixels. */
  logo: { key: string; width: number; height: number } | null
}

/** Select a session with all data of its export, in one round trip. */
export async function selectExport(
  db: ReadDb,
  id: string,
): Promise<{ session: SessionRow | undefined; supporting: SupportingDataRow[]; settings: ExportSettings }> {
  const supporting = sql<SupportingDataRow>`
    select d.kind, d.title, d.content, d.step_id from session_supporting_data d
     where d.account_id = app.account_id() and d.session_id = ${id} order by d.created_at, d.id`
  // The branding is that of the session's team or, if it has none, of its user's team.
  const exportSettings = sql<ExportSettings>`
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
    statement(db, exportSettings),
  ])
  return { session: sessions[0], supporting: items, settings: settings[0] as ExportSettings }
}

/** Set `exported_at` of a completed session unless it is already set. */
export function markExported(callFunction: CallFunction, id: string) {
  return callFunction<{ marked: boolean }>('app.mark_exported', id)
}
