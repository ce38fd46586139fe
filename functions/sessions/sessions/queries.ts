import { sql } from 'kysely'
import { toContainsPattern } from '../../../lib/db/like.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import { type Changed, changeSession, fullSession, mayChange, sessionColumns, sessionJoins } from '../../../lib/db/rows/sessions.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { SessionRow } from '../../../lib/flows/session-row.ts'
import type { IntakeField, TreeStructure, TreeType } from '../../../lib/flows/structure.ts'
import type { SessionQuery, SessionUpdate, Variables } from './schemas.ts'

type ContentKey =
  | 'variables'
  | 'decisions'
  | 'fallback_decisions'
  | 'custom_steps'
  | 'notes'
  | 'next_steps'
  | 'tree_structure'
  | 'intake_form'
/** A row of a session list. */
export type SessionListRow = Omit<SessionRow, ContentKey | 'may_change'>

export async function selectSessions(db: ReadDb, { skip, limit, ...query }: SessionQuery & PageQuery): Promise<SessionListRow[]> {
  const toPattern = (text: string | undefined) => (text === undefined ? null : toContainsPattern(text))
  const { started_after = null, started_before = null, completed_after = null, completed_before = null, batch_id = null } = query
  const { rows } = await sql<SessionListRow>`
    select ${sessionColumns}
      from app.find_sessions(${toPattern(query.ticket_number)}, ${toPattern(query.client_name)}, ${toPattern(query.tree_name)}, ${started_after},
             ${started_before}, ${completed_after}, ${completed_before}, ${batch_id}, ${skip}, ${limit + 1}) with ordinality f (id, place)
      join sessions s on s.account_id = app.account_id() and s.id = f.id ${sessionJoins}
     order by f.place`.execute(db as WriteDb)
  return rows
}

export async function selectSession(db: ReadDb, id: string): Promise<SessionRow | undefined> {
  return (await fullSession(id).execute(db as WriteDb)).rows[0]
}

/** The current version of a flow. */
export interface FlowRow {
  id: string
  status: 'draft' | 'published'
  version: number
  tree_type: TreeType
  tree_structure: TreeStructure | null
  intake_form: IntakeField[]
  /** Whether the flow belongs to the caller's own team. */
  is_own: boolean
}

export async function selectFlow(db: ReadDb, treeId: string): Promise<FlowRow | undefined> {
  const { rows } = await sql<FlowRow>`
    select t.id, t.status, t.version, t.tree_type, v.tree_structure, v.intake_form,
           coalesce(t.account_id = app.account_id() and t.team_id = app.team_id(), false) as is_own
      from trees t join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     where t.id = ${treeId} and t.deleted_at is null`.execute(db as WriteDb)
  return rows[0]
}

export interface NewSession {
  id: string
  ticket_number: string | null
  client_name: string | null
  target_label: string | null
  variables: Variables
}
/** The state in which new sessions are inserted. */
export interface InitialState {
  /** The first step; null for a session that is only prepared. */
  current_step_id: string | null
  remaining: number
  batch_id: string | null
}

/**
 * Insert all sessions if this version of the flow is still current and published, otherwise none. Count one use of the flow per started
 * session.
 */
function insertSessionsStatement(flow: FlowRow, sessions: readonly NewSession[], { current_step_id, remaining, batch_id }: InitialState) {
  return sql<{ id: string }>`
    with inserted_sessions as (
      insert into sessions (id, team_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name, variables,
                            target_label, batch_id, current_step_id, remaining, started_at)
      select r.id, app.team_id(), t.account_id, t.id, t.version, t.name,
             case when ${current_step_id}::text is null then 'prepared' else 'in_progress' end, r.ticket_number, r.client_name, r.variables,
             r.target_label, ${batch_id}::uuid, ${current_step_id}, ${remaining}::integer,
             case when ${current_step_id}::text is not null then app.now() end
        from trees t, jsonb_to_recordset(${JSON.stringify(sessions)}::jsonb)
             r (id uuid, ticket_number text, client_name text, target_label text, variables jsonb)
       where t.id = ${flow.id} and t.version = ${flow.version} and t.status = 'published' and t.deleted_at is null
      returning id, state, tree_account_id, tree_id)
    select s.id, app.count_use(case when s.state = 'in_progress' then s.tree_account_id end, s.tree_id) from inserted_sessions s`
}

/** Insert a session and return it. Insert nothing and return undefined if the flow was changed or deleted. */
export async function insertSession(
  db: WriteDb,
  flow: FlowRow,
  session: NewSession,
  initialState: InitialState,
): Promise<SessionRow | undefined> {
  const [, rows] = await db.batch([
    statement(db, insertSessionsStatement(flow, [session], initialState)),
    statement(db, fullSession(session.id)),
  ])
  return rows[0]
}

/** Insert sessions, all or none. Return false if the flow was changed or deleted. */
export async function insertSessions(
  db: WriteDb,
  flow: FlowRow,
  sessions: readonly NewSession[],
  initialState: InitialState,
): Promise<boolean> {
  return (await insertSessionsStatement(flow, sessions, initialState).execute(db)).rows.length > 0
}

const isEditable = (id: string) => sql`s.account_id = app.account_id() and s.id = ${id} and ${mayChange}`

/** Start a prepared session if its variables still equal `storedVariables`. */
export async function startSession(
  db: WriteDb,
  id: string,
  { storedVariables, variables, firstStepId }: { storedVariables: Variables; variables: Variables; firstStepId: string | null },
): Promise<Changed> {
  return changeSession(
    db,
    id,
    sql`
    with started_session as (
      update sessions s set state = 'in_progress', started_at = app.now(), current_step_id = ${firstStepId}, variables = ${JSON.stringify(variables)}::jsonb
       where ${isEditable(id)} and s.state = 'prepared' and s.variables = ${JSON.stringify(storedVariables)}::jsonb
      returning s.id, s.tree_account_id, s.tree_id)
    select id, app.count_use(tree_account_id, tree_id) from started_session`,
  )
}

/** Set and remove variables if the session is still in `state`. */
export async function updateVariables(
  db: WriteDb,
  id: string,
  state: string,
  values: Variables,
  removedKeys: readonly string[],
): Promise<Changed> {
  return changeSession(
    db,
    id,
    sql`
    update sessions s
       set variables = (s.variables || ${JSON.stringify(values)}::jsonb) - array(select jsonb_array_elements_text(${JSON.stringify(removedKeys)}::jsonb))
     where ${isEditable(id)} and s.state = ${state} returning s.id`,
  )
}

/** Update the columns in `changes`. Abandon only a session that is prepared or in progress. */
export async function updateSession(db: WriteDb, id: string, changes: SessionUpdate): Promise<Changed> {
  const assignments = Object.entries(changes).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const stateCondition = changes.state ? sql`and s.state in ('prepared', 'in_progress')` : sql``
  return changeSession(db, id, sql`update sessions s set ${sql.join(assignments)} where ${isEditable(id)} ${stateCondition} returning s.id`)
}

export async function deleteSession(db: WriteDb, id: string): Promise<boolean> {
  return (await sql`delete from sessions s where ${isEditable(id)} returning s.id`.execute(db)).rows.length > 0
}
