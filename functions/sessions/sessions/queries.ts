import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, jsonb, teamId } from '#db/expressions.ts'
import { newestFirst, type PageQuery, readCursor } from '#db/page.ts'
import { startTimers } from '#db/rows/session-timers.ts'
import {
  changeSession,
  lockParentSession,
  mayChange,
  readSession,
  sessionColumns,
  sessionJoins,
  type UpdateResult,
} from '#db/rows/sessions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { SessionListRow, type SessionRow } from '#rules/flows/session-row.ts'
import type { StepPosition } from '#rules/flows/step-navigation.ts'
import type { IntakeField, TreeStructure, TreeType } from '#rules/flows/structure.ts'
import type { SessionQuery, SessionUpdate, Variables } from './schemas.ts'

export const selectSessions = readStatement(
  SessionListRow,
  ({ skip, limit, after, ...filters }: SessionQuery & PageQuery) => {
    const [p_after_at = null, p_after_id = null] =
      after === undefined ? [] : readCursor(newestFirst, after).map(String)
    const page = { p_skip: skip, p_limit: limit + 1, p_after_at, p_after_id }
    return sql`
    select ${sessionColumns}
      from ${callFunction('app.find_sessions', { p_filters: jsonb(filters), ...page })} with ordinality f (id, place)
      join sessions s on s.account_id = app.account_id() and s.id = f.id ${sessionJoins}
     order by f.place`
  },
)

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

export function selectFlow(db: ReadDb, treeId: string): Promise<FlowRow | undefined> {
  const isOwn = sql<boolean>`coalesce(t.account_id = ${accountId} and t.team_id = ${teamId}, false)`
  return db
    .selectFrom('trees as t')
    .innerJoin('tree_versions as v', (join) =>
      join
        .onRef('v.account_id', '=', 't.account_id')
        .onRef('v.tree_id', '=', 't.id')
        .onRef('v.version', '=', 't.version'),
    )
    .select([
      't.id',
      't.status',
      't.version',
      't.tree_type',
      'v.tree_structure',
      'v.intake_form',
      isOwn.as('is_own'),
    ])
    .where('t.id', '=', treeId)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst()
}

export interface NewSession {
  id: string
  ticket_number: string | null
  client_name: string | null
  target_label: string | null
  variables: Variables
  /** The encrypted answers to secret fields, by key. */
  secret_variables: Record<string, string>
}
/** The state in which new sessions are inserted. A session that is only prepared has no current step. */
export interface InitialState extends StepPosition {
  batch_id: string | null
}

/**
 * Insert all sessions if this version of the flow is still current and published, otherwise none. Count one
 * use of the flow per started session.
 */
export const insertSessions = writeStatement(
  z.object({ id: z.string(), count_use: z.unknown() }),
  (
    flow: FlowRow,
    sessions: readonly NewSession[],
    { current_step_id, remaining, batch_id, timer }: InitialState,
  ) => sql`
    with inserted_sessions as (
      insert into sessions (id, team_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name, variables,
                            secret_variables, target_label, batch_id, current_step_id, remaining, started_at)
      select r.id, app.team_id(), t.account_id, t.id, t.version, t.name,
             case when ${current_step_id}::text is null then 'prepared' else 'in_progress' end, r.ticket_number, r.client_name, r.variables,
             r.secret_variables, r.target_label, ${batch_id}::uuid, ${current_step_id}, ${remaining}::integer,
             case when ${current_step_id}::text is not null then app.now() end
        from trees t, jsonb_to_recordset(${jsonb(sessions)})
             r (id uuid, ticket_number text, client_name text, target_label text, variables jsonb, secret_variables jsonb)
       where t.id = ${flow.id} and t.version = ${flow.version} and t.status = 'published' and t.deleted_at is null
      returning *)${startTimers('inserted_sessions', timer)}
    select s.id, app.count_use(case when s.state = 'in_progress' then s.tree_account_id end, s.tree_id) from inserted_sessions s`,
)

/** Insert a session and return it. Insert nothing and return undefined if the flow was changed or deleted. */
export async function insertSession(
  db: WriteDb,
  flow: FlowRow,
  session: NewSession,
  initialState: InitialState,
): Promise<SessionRow | undefined> {
  const { query, toSession } = readSession(session.id)
  const [, rows] = await db.batch([insertSessions.query(flow, [session], initialState), query])
  return toSession(rows)
}

const isEditable = (id: string) =>
  sql<boolean>`s.account_id = app.account_id() and s.id = ${id} and ${mayChange}`

/** A change of variables. Keys of `removedKeys` are removed from both kinds. */
export interface VariableChange {
  values: Variables
  /** Encrypted answers to secret fields, by key. */
  secrets: Record<string, string>
  removedKeys: readonly string[]
}

const mergeSecrets = ({ secrets, removedKeys }: Pick<VariableChange, 'secrets' | 'removedKeys'>) => sql<
  Record<string, string>
>`
  (s.secret_variables || ${jsonb(secrets)}) - array(select jsonb_array_elements_text(${jsonb(removedKeys)}))`
const hasSecrets = (keys: readonly string[]) =>
  sql<boolean>`jsonb_exists_all(s.secret_variables, array(select jsonb_array_elements_text(${jsonb(keys)})))`

/**
 * Start a prepared session if its variables still equal `storedVariables`, and the secret fields
 * `unchangedSecretKeys` still have an answer.
 */
export const startSession = writeStatement(
  z.object({ id: z.string(), count_use: z.unknown() }),
  (
    id: string,
    start: {
      storedVariables: Variables
      variables: Variables
      secrets: Record<string, string>
      unchangedSecretKeys: readonly string[]
      removedKeys: readonly string[]
      position: StepPosition
    },
  ) => sql`
    with started_session as (
      update sessions s set state = 'in_progress', started_at = app.now(), current_step_id = ${start.position.current_step_id},
             variables = ${jsonb(start.variables)}, secret_variables = ${mergeSecrets(start)}
       where ${isEditable(id)} and s.state = 'prepared' and s.variables = ${jsonb(start.storedVariables)} and ${hasSecrets(start.unchangedSecretKeys)}
      returning s.*)${startTimers('started_session', start.position.timer)}
    select id, app.count_use(tree_account_id, tree_id) from started_session`,
)

/** Set and remove variables if the session is still in `state`. */
export function updateVariables(
  db: WriteDb,
  id: string,
  state: SessionRow['state'],
  change: VariableChange,
): Promise<UpdateResult> {
  const variables = sql<Variables>`
    (s.variables || ${jsonb(change.values)}) - array(select jsonb_array_elements_text(${jsonb(change.removedKeys)}))`
  const update = db
    .updateTable('sessions as s')
    .set({ variables, secret_variables: mergeSecrets(change) })
    .where(isEditable(id))
    .where('s.state', '=', state)
  return changeSession(db, id, update.returning('s.id'))
}

/**
 * Update the columns in `changes`. Abandon only a session that is prepared or in progress, with the sub-flow
 * that it waits for.
 */
export async function updateSession(db: WriteDb, id: string, changes: SessionUpdate): Promise<UpdateResult> {
  let update = db.updateTable('sessions as s').set(changes).where(isEditable(id))
  if (!changes.state) return changeSession(db, id, update.returning('s.id'))
  update = update.where('s.state', 'in', ['prepared', 'in_progress'])
  const { query, toSession } = readSession(id)
  const [, changed, rows] = await db.batch([lockParentSession.query(id), update.returning('s.id'), query])
  return { isChanged: changed.length > 0, session: toSession(rows) }
}

/**
 * Delete a session with the sessions of its sub-flows. Return false if there is none that the caller may
 * change.
 */
export async function deleteSession(db: WriteDb, id: string): Promise<boolean> {
  const isPartOfCompleted = sql<boolean>`exists (
    select from sessions p where p.account_id = s.account_id and p.id = s.parent_session_id and p.state = 'completed')`
  const deletion = db
    .deleteFrom('sessions as s')
    .where(isEditable(id))
    .where((eb) => eb.not(isPartOfCompleted))
    .returning('s.id')
  const [, deleted] = await db.batch([lockParentSession.query(id), deletion])
  return deleted.length > 0
}

/** Condition on `sessions s` and `users u`: the user may run it, as a member of its team or an account admin. */
const mayReceive = sql<boolean>`app.can_work(u) and (s.team_id is null or u.team_id = s.team_id or u.role = 'admin')`
const mayReassign = sql<boolean>`app.may_change(s.user_id, s.team_id)`
/** Condition on `sessions s` and `users u`: nobody else who can work was given it. */
const isFree = sql<boolean>`(s.assigned_at is null or s.user_id = u.id or app.cannot_work(s.user_id))`

/** Give a session to a user, or take it if the user is null. Return no row if that is not possible. */
export const handOver = writeStatement(
  z.object({ id: z.string() }),
  (id: string, userId: string | null) => sql`
    update sessions s
       set user_id = u.id, assigned_at = case when s.user_id = u.id then coalesce(s.assigned_at, app.now()) else app.now() end
      from users u
     where s.account_id = app.account_id() and s.id = ${id} and s.parent_session_id is null
       and u.account_id = s.account_id and u.id = coalesce(${userId}::uuid, app.user_id()) and ${mayReceive}
       and case when ${userId}::uuid is null then s.state = 'prepared' and ${isFree}
                else s.state in ('prepared', 'in_progress') and ${mayReassign} end
    returning s.id`,
)

/** Select why a session was not handed over. `may_receive` is of the user, or of the caller if it is null. */
export const selectHandOver = readStatement(
  z.object({ may_reassign: z.boolean(), may_receive: z.boolean() }),
  (id: string, userId: string | null) => sql`
    select ${mayReassign} as may_reassign,
           exists (select from users u where u.account_id = s.account_id and u.id = coalesce(${userId}::uuid, app.user_id()) and ${mayReceive}) as may_receive
      from sessions s where s.account_id = app.account_id() and s.id = ${id}`,
)

/** Select the encrypted answers to secret fields of a session that the caller may change. */
export async function selectSecrets(db: ReadDb, id: string): Promise<Record<string, string>> {
  const row = await db
    .selectFrom('sessions as s')
    .select('s.secret_variables')
    .where(isEditable(id))
    .executeTakeFirst()
  return row?.secret_variables ?? {}
}
