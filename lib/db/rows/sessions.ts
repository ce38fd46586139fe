import { type Compilable, type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { listColumns } from '#db/columns.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import {
  SessionRow,
  sessionDetailColumns,
  sessionListColumns,
  versionDetailColumns,
  versionListColumns,
} from '#rules/flows/session-row.ts'
import { createFlowMemory } from './flow-memory.ts'

/** Condition on `sessions s`: the caller is its user or an account admin. */
export const mayChange = sql<boolean>`app.may_change(s.user_id, null)`

const selectColumns = (from: 's' | 'v', columns: z.ZodRawShape) => listColumns(z.object(columns), { from })

/**
 * Condition on `sessions s`: it is a run. The session of a sub-flow is a part of one, and counts only in the
 * figures of its own flow.
 */
export const isRun = sql<boolean>`s.parent_session_id is null`

/** The columns of a list, of `sessions s` with `sessionJoins`. */
export const sessionColumns = sql`
  ${selectColumns('s', sessionListColumns)}, u.full_name as user_name, ${selectColumns('v', versionListColumns)}`
export const sessionJoins = sql`
  join tree_versions v on v.account_id = s.tree_account_id and v.tree_id = s.tree_id and v.version = s.tree_version
  left join users u on u.account_id = s.account_id and u.id = s.user_id`

const listOf = (table: string, item: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
  coalesce((select jsonb_agg(${item} order by ${order}) from ${sql.table(table)} x where x.account_id = s.account_id and x.session_id = s.id), '[]')`

/** The name of the user in a column of `x`. */
const nameOf = (column: string) => sql`
  (select n.full_name from users n where n.account_id = x.account_id and n.id = ${sql.ref(`x.${column}`)})`

/** Which state of a version of `tree_versions v` this is. The service never changes a version; an operator may. */
const flowState = sql`v.id::text || '.' || v.xmin::text`

const StoredSession = SessionRow.extend({ flow_state: z.string() })

/** The content of the flow of `tree_versions v`, or null where its state is `knownFlow`. */
const selectContent = (knownFlow: string | null) =>
  sql.join(
    Object.keys(versionDetailColumns).map(
      (name) =>
        sql`case when ${flowState} is distinct from ${knownFlow}::text then ${sql.ref(`v.${name}`)} end as ${sql.ref(name)}`,
    ),
  )

/** Select sessions with everything that belongs to them, but for the content of a flow that is `knownFlow`. */
const selectDetails = (knownFlow: string | null) => sql`
  select ${sessionColumns}, ${selectColumns('s', sessionDetailColumns)}, ${flowState} as flow_state,
         ${selectContent(knownFlow)},
         array(select jsonb_object_keys(s.secret_variables)) as secret_keys, ${mayChange} as may_change,
         ${listOf(
           'session_decisions',
           sql`jsonb_build_object('step_id', x.step_id, 'option_id', x.option_id, 'outcome', x.outcome, 'note', x.note,
             'started_at', app.iso(x.started_at), 'duration_seconds', x.duration_seconds, 'decided_at', app.iso(x.decided_at), 'decided_by', x.decided_by, 'decided_by_name', ${nameOf('decided_by')})`,
           sql`x.seq`,
         )} as decisions,
         (select app.iso(t.due_at) from session_timers t where t.account_id = s.account_id and t.session_id = s.id and t.state = 'waiting'
             and t.seq = s.answered and s.state = 'in_progress') as timer_due_at,
         (select t.review_due_on::text from trees t where t.account_id = s.tree_account_id and t.id = s.tree_id
             and t.review_due_on <= app.local_today() and s.state in ('prepared', 'in_progress')) as flow_overdue_since,
         ${listOf(
           'session_evidence',
           sql`jsonb_build_object('seq', x.seq, 'key', x.key, 'type', x.type, 'label', x.label, 'value', x.value, 'upload_id', x.upload_id)`,
           sql`x.seq, x.place`,
         )} as evidence,
         ${listOf(
           'session_fallbacks',
           sql`jsonb_build_object('step_id', x.step_id, 'fallback_step_id', x.fallback_step_id, 'outcome', x.outcome, 'note', x.note,
             'decided_at', app.iso(x.decided_at), 'decided_by', x.decided_by, 'decided_by_name', ${nameOf('decided_by')})`,
           sql`x.seq, x.id`,
         )} as fallback_decisions,
         ${listOf(
           'session_custom_steps',
           sql`jsonb_build_object('id', x.id, 'source', x.source, 'after_step_id', x.after_step_id, 'title', x.title,
             'description', x.description, 'library_step_id', x.library_step_id, 'tree_id', x.tree_id, 'node_id', x.node_id,
             'created_by', x.created_by, 'created_by_name', ${nameOf('created_by')}, 'created_at', app.iso(x.created_at))`,
           sql`x.created_at, x.id`,
         )} as custom_steps
    from sessions s ${sessionJoins}`

/** For `readSession`, which adds the flow that this statement leaves out. */
export const selectSession = readStatement(
  StoredSession,
  (id: string, knownFlow: string | null) =>
    sql`${selectDetails(knownFlow)} where s.account_id = app.account_id() and s.id = ${id}`,
)

// Some 12 MB of memory.
const flows = createFlowMemory({ maxCharacters: 2 ** 21 })

/**
 * Prepare to read a session of the account with everything that belongs to it: `toSession` makes it of the first
 * row of `query`. In a batch it sees the earlier statements' changes. A flow that this process remembers is not
 * read again, so that an answer takes as long in a large flow as in a small one.
 */
export function readSession(id: string) {
  const known = flows.find(id)
  return {
    query: selectSession.query(id, known?.flow_state ?? null),
    toSession([row]: z.output<typeof StoredSession>[]): SessionRow | undefined {
      if (!row) return undefined
      const { flow_state, tree_structure, intake_form, ...session } = row
      const flow = flow_state === known?.flow_state ? known : { flow_state, tree_structure, intake_form }
      flows.remember(id, flow)
      return { ...session, tree_structure: flow.tree_structure, intake_form: flow.intake_form }
    },
  }
}

/** Read a session of the account with everything that belongs to it. */
export async function findSession(db: ReadDb, id: string): Promise<SessionRow | undefined> {
  const { query, toSession } = readSession(id)
  const [rows] = await db.batch([query])
  return toSession(rows)
}

/** Select the sessions of sub-flows below a session, at every level, oldest first: the first 200. */
export const selectSubflowSessions = readStatement(
  StoredSession,
  (id: string) => sql`
    ${selectDetails(null)} where s.account_id = app.account_id() and s.id in (select id from ${callFunction('app.list_subflow_sessions', { p_session: id })}) order by s.created_at, s.id`,
)

/** The position that was read. A change is only written if the session is still at this position. */
export type SessionPosition = Pick<SessionRow, 'id' | 'current_step_id' | 'answered'>

/** Condition on `sessions s`: this session of the account is in progress, and the caller may change it. */
export const isEditableInProgress = (id: string) =>
  sql<boolean>`s.account_id = app.account_id() and s.id = ${id} and s.state = 'in_progress' and ${mayChange}`

/**
 * Condition on `sessions s`: this session is at a position and waits for the session `subflowId`, or for none
 * if it is null.
 */
export const isAtPosition = (
  { id, current_step_id, answered }: SessionPosition,
  subflowId: string | null = null,
) => sql<boolean>`
  ${isEditableInProgress(id)} and s.current_step_id is not distinct from ${current_step_id} and s.answered = ${answered}
   and s.subflow_session_id is not distinct from ${subflowId}::uuid`

/**
 * Lock the session that runs this one as a sub-flow. Statements that end the sub-flow come after it in their
 * transaction. So every transaction locks a parent before its sub-flow, which prevents deadlocks.
 */
export const lockParentSession = writeStatement(
  null,
  (id: string) => sql`
    select from sessions p where p.account_id = app.account_id()
       and p.id = (select s.parent_session_id from sessions s where s.account_id = app.account_id() and s.id = ${id}) for update`,
)

/** A session after a conditional update, and whether the update changed it. */
export interface UpdateResult {
  isChanged: boolean
  session: SessionRow | undefined
}

/** Run an update that returns a row if it changed the session, then read the session, in one transaction. */
export async function changeSession(db: WriteDb, id: string, update: Compilable): Promise<UpdateResult> {
  const { query, toSession } = readSession(id)
  const [changed, rows] = await db.batch([update, query])
  return { isChanged: changed.length > 0, session: toSession(rows) }
}
