import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import { type Order, type PageQuery, pageEnd } from '#db/page.ts'
import { startTimers } from '#db/rows/session-timers.ts'
import {
  isAtPosition,
  readSession,
  type SessionPosition,
  sessionColumns,
  sessionJoins,
} from '#db/rows/sessions.ts'
import type { WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { Variables } from '#functions/sessions/sessions/schemas.ts'
import { SessionListRow, type SessionRow } from '#rules/flows/session-row.ts'
import type { StepPosition } from '#rules/flows/step-navigation.ts'

export const subflowOrder: Order<'id'> = [{ field: 'id', kind: 'uuid' }]

export const selectSubflowSessions = readStatement(
  SessionListRow,
  (parentId: string, page: PageQuery) => sql`
    select ${sessionColumns} from sessions s ${sessionJoins}
     where s.account_id = app.account_id() and s.parent_session_id = ${parentId}
     ${pageEnd(subflowOrder, page, 's')}`,
)

/**
 * Select the flow of a session, then those of the sessions that it is a sub-flow of, and how many sub-flows
 * each of them has.
 */
export const selectAncestors = readStatement(
  z.object({ tree_id: z.string(), subflows: z.int() }),
  (id: string) => sql`
    with recursive ancestors as (
      select s.id, s.tree_id, s.parent_session_id, 0 as level from sessions s where s.account_id = app.account_id() and s.id = ${id}
      union all
      select s.id, s.tree_id, s.parent_session_id, a.level + 1 from ancestors a
        join sessions s on s.account_id = app.account_id() and s.id = a.parent_session_id where a.level < 10)
    select a.tree_id, (select count(*)::integer from sessions c
                        where c.account_id = app.account_id() and c.parent_session_id = a.id) as subflows
      from ancestors a order by a.level`,
)

/** The session of a sub-flow, with the version of the flow that it runs and its first position. */
export interface NewSubflow extends StepPosition {
  id: string
  variables: Variables
  /** The encrypted answers to secret fields, by key. */
  secret_variables: Record<string, string>
  flow: { id: string; version: number }
}

/**
 * Insert the session of a sub-flow, which belongs to the user, team, ticket and client of its parent. Insert
 * nothing if the parent is not at this position any more, waits for another sub-flow, or the flow was
 * changed.
 */
export const insertSubflow = writeStatement(
  z.object({ id: z.string(), count_use: z.unknown() }),
  (
    parent: SessionPosition,
    { id, variables, secret_variables, flow, current_step_id, remaining, timer }: NewSubflow,
  ) => {
    const isCurrent = sql`t.id = ${flow.id} and t.version = ${flow.version} and t.status = 'published' and t.deleted_at is null`
    return sql`
      with parent as (
        update sessions s set subflow_session_id = ${id}::uuid
         where ${isAtPosition(parent)} and exists (select from trees t where ${isCurrent}) returning s.*),
      inserted as (
        insert into sessions (id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name,
                              target_label, variables, secret_variables, current_step_id, remaining, started_at, parent_session_id,
                              parent_step_id)
        select ${id}::uuid, p.team_id, p.user_id, t.account_id, t.id, t.version, t.name, 'in_progress', p.ticket_number, p.client_name,
               p.target_label, ${jsonb(variables)}, ${jsonb(secret_variables)}, ${current_step_id}, ${remaining}::integer, app.now(), p.id,
               p.current_step_id
          from parent p join trees t on ${isCurrent}
        returning *)${startTimers('inserted', timer)}
      select i.id, app.count_use(i.tree_account_id, i.tree_id) from inserted i`
  },
)

/** Insert the session of a sub-flow and return it. Return undefined if nothing was inserted. */
export async function startSubflow(
  db: WriteDb,
  parent: SessionPosition,
  subflow: NewSubflow,
): Promise<SessionRow | undefined> {
  const { query, toSession } = readSession(subflow.id)
  const [, rows] = await db.batch([insertSubflow.query(parent, subflow), query])
  return toSession(rows)
}
