import { type RawBuilder, sql } from 'kysely'
import type { SessionRow } from '../../flows/session-row.ts'
import type { WriteDb } from '../scope.ts'
import { statement } from '../statement.ts'

/** Condition on `sessions s`: the caller is its user or an account admin. */
export const mayChange = sql`app.may_change(s.user_id, null)`

/** The columns of a list, of `sessions s` with `sessionJoins`. */
export const sessionColumns = sql`
  s.id, s.account_id, s.team_id, s.user_id, u.full_name as user_name, s.tree_account_id, s.tree_id, s.state, s.ticket_number, s.client_name,
  s.outcome, s.batch_id, s.target_label, s.current_step_id, s.answered, s.remaining, s.exported_at, s.started_at, s.completed_at, s.created_at,
  v.name, v.description, v.category, v.version, v.tree_type`
export const sessionJoins = sql`
  join tree_versions v on v.account_id = s.tree_account_id and v.tree_id = s.tree_id and v.version = s.tree_version
  left join users u on u.account_id = s.account_id and u.id = s.user_id`

const listOf = (table: string, item: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
  coalesce((select jsonb_agg(${item} order by ${order}) from ${sql.table(table)} x where x.account_id = s.account_id and x.session_id = s.id), '[]')`

/** Select a session of the account with everything that belongs to it. In a batch it sees the earlier statements' changes. */
export const fullSession = (id: string) => sql<SessionRow>`
  select ${sessionColumns}, s.variables, s.notes, s.next_steps, v.tree_structure, v.intake_form, ${mayChange} as may_change,
         ${listOf(
           'session_decisions',
           sql`jsonb_build_object('step_id', x.step_id, 'option_id', x.option_id, 'outcome', x.outcome, 'note', x.note,
             'started_at', app.iso(x.started_at), 'duration_seconds', x.duration_seconds, 'decided_at', app.iso(x.decided_at))`,
           sql`x.seq`,
         )} as decisions,
         ${listOf(
           'session_fallbacks',
           sql`jsonb_build_object('step_id', x.step_id, 'fallback_step_id', x.fallback_step_id, 'outcome', x.outcome, 'note', x.note,
             'decided_at', app.iso(x.decided_at))`,
           sql`x.seq, x.id`,
         )} as fallback_decisions,
         ${listOf(
           'session_custom_steps',
           sql`jsonb_build_object('id', x.id, 'source', x.source, 'after_step_id', x.after_step_id, 'title', x.title,
             'description', x.description, 'library_step_id', x.library_step_id, 'tree_id', x.tree_id, 'node_id', x.node_id,
             'created_at', app.iso(x.created_at))`,
           sql`x.created_at, x.id`,
         )} as custom_steps
    from sessions s ${sessionJoins} where s.account_id = app.account_id() and s.id = ${id}`

/** Whether a session was changed, and the session afterwards. */
export interface Changed {
  done: boolean
  session: SessionRow | undefined
}

/** Run an update that returns a row if it changed the session, then read the session, in one transaction. */
export async function changeSession(db: WriteDb, id: string, write: RawBuilder<{ id: string }>): Promise<Changed> {
  const [done, rows] = await db.batch([statement(db, write), statement(db, fullSession(id))])
  return { done: done.length > 0, session: rows[0] }
}
