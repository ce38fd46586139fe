import { sql } from 'kysely'
import * as z from 'zod'
import { personOf } from '#db/expressions.ts'
import { newestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import { readStatement } from '#db/statement.ts'
import { MachineRun } from './schemas.ts'

/** Whose runs are selected: those on a machine, or those at a client. */
export type RunFilter = { agentId: string } | { client: string }
const matches = (filter: RunFilter) =>
  'agentId' in filter
    ? sql`r.agent_id = ${filter.agentId}`
    : sql`app.name_key(r.client_name) = app.name_key(${filter.client})`

/** Select runs. The rows are `script_runs r`, of a session `s` or an AI session `c`. */
export const selectRuns = readStatement(
  z.object(MachineRun.shape),
  (filter: RunFilter, page: PageQuery) => sql`
    select r.id, r.title, r.script_template_id, r.script_version, r.target, r.agent_id, r.client_name, r.exit_code, r.started_at, r.ended_at, r.created_at,
           ${personOf('r.account_id', 'r.run_by')} as run_by, ${personOf('r.account_id', 'a.decided_by')} as approved_by,
           case when s.id is not null or app.sees_ai_session(c) then right(r.output, 2000) end as output_end,
           case when s.id is not null then
                  jsonb_build_object('kind', 'session', 'id', s.id, 'title', s.tree_name, 'client_name', s.client_name, 'ticket', s.ticket_number)
                when app.sees_ai_session(c) then
                  jsonb_build_object('kind', 'ai_session', 'id', c.id, 'title', c.title, 'client_name', c.client_name, 'ticket', c.psa_ticket_id) end as "case"
      from script_runs r
      left join sessions s on s.account_id = r.account_id and s.id = r.session_id
      left join ai_sessions c on c.account_id = r.account_id and c.id = r.ai_session_id
      left join approvals a on a.account_id = r.account_id and a.id = r.approval_id
     where r.account_id = app.account_id() and ${matches(filter)} ${pageEnd(newestFirst, page, 'r')}`,
)
