import { type Compilable, type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import { throwNotFound } from '#problem.ts'
import type { AiStatus } from '#rules/ai/session-values.ts'
import { AiSessionRow, type FlowOffer } from './ai-session.ts'

/** The columns of a list, of `ai_sessions s` with `aiSessionJoins`. */
export const aiSessionColumns = sql`
  s.id, s.account_id, s.user_id, u.full_name as user_name, s.session_type, s.title, s.status, s.problem_summary, s.psa_ticket_id, s.tree_id,
  s.environment_tags, s.client_name, s.asset_name, s.issue_category, s.escalated_to_id, s.picked_up_by_id, p.full_name as picked_up_by_name, s.state_version, s.outcome,
  s.created_at, s.updated_at, s.resolved_at`
export const aiSessionJoins = sql`
  left join users u on u.account_id = s.account_id and u.id = s.user_id
  left join users p on p.account_id = s.account_id and p.id = s.picked_up_by_id`

const timePair = (column: string) => sql`'${sql.raw(column)}', app.iso(x.${sql.raw(column)})`
const plainPairs = (columns: string[]) =>
  sql.join(columns.map((column) => sql.raw(`'${column}', x.${column}`)))
const jsonList = (from: RawBuilder<unknown>, item: RawBuilder<unknown>, order: RawBuilder<unknown>) =>
  sql`coalesce((select jsonb_agg(jsonb_build_object(${item}) order by ${order}) from ${from} where x.account_id = s.account_id and x.session_id = s.id), '[]')`

/** Of `ai_fixes x`: the name and value pairs of a JSON object. */
export const fixItem = sql`${plainPairs(['id', 'session_id', 'title', 'description', 'kind', 'script_template_id', 'status'])}, ${timePair('applied_at')},
  ${timePair('verified_at')}, ${plainPairs(['partial_notes', 'pending_reason', 'failure_reason', 'ai_drafted_script', 'ai_drafted_parameters', 'ai_outcome_proposal'])},
  ${timePair('created_at')}`
/** Of the row that `handoff` names, such as `x`: who has acknowledged it. */
export const acknowledgement = (handoff: string) => sql`
  lateral (select f.acknowledged_by, u.full_name as acknowledged_by_name, f.acknowledged_at
             from escalation_follow_ups f left join users u on u.account_id = f.account_id and u.id = f.acknowledged_by
            where f.account_id = ${sql.ref(`${handoff}.account_id`)} and f.session_id = ${sql.ref(`${handoff}.session_id`)}
              and f.handoff_id = ${sql.ref(`${handoff}.id`)}) k`
const acknowledged = (column: string) => sql`(select ${sql.raw(column)} from ${acknowledgement('x')})`

/** Of `ai_handoffs x`. */
export const handoffItem = sql`${plainPairs(['id', 'session_id', 'intent', 'created_by', 'target_user_id', 'reason', 'summary', 'what_was_tried', 'next_steps', 'urgency', 'claimed_by'])},
  ${timePair('claimed_at')}, 'acknowledged_by', ${acknowledged('k.acknowledged_by')}, 'acknowledged_by_name', ${acknowledged('k.acknowledged_by_name')},
  'acknowledged_at', ${acknowledged('app.iso(k.acknowledged_at)')}, ${plainPairs(['ai_assessment', 'assessment_status'])}, ${timePair('first_action_at')}, ${timePair('created_at')}`
/**
 * The offer of a reply or step, or null: if no flow is among its sources. The row is `x`, or the one that
 * RETURNING names.
 */
export const flowOffer = sql<FlowOffer | null>`case when not sources @> '[{"kind": "flow"}]' then jsonb_build_object(
  'text', 'No flow of yours fits this case. Once the case is resolved, you can draft one from it.',
  'operation', 'authoring.proposals.create', 'path', '/sessions/' || session_id || '/convert-to-flow') end`

/** Of `ai_messages x`. */
export const messageItem = sql`${plainPairs(['id', 'role', 'content', 'branch_id', 'citations', 'sources', 'lookups', 'failure'])},
  'flow_offer', case x.role when 'assistant' then ${flowOffer} end, ${timePair('created_at')}, 'upload_ids',
  coalesce((select jsonb_agg(i.upload_id order by i.place) from ai_message_uploads i where i.account_id = x.account_id and i.message_id = x.id), '[]')`
const stepItem = sql`'step_id', x.id, ${plainPairs(['kind', 'text', 'options', 'rationale', 'citations', 'sources', 'lookups', 'failure', 'response'])},
  'flow_offer', ${flowOffer}, ${timePair('created_at')}`
/** Of `ai_facts x`. */
export const factItem = sql`${plainPairs(['id', 'key', 'value', 'source', 'created_by'])}, ${timePair('created_at')}, ${timePair('updated_at')}`

/**
 * The last runs of `ai_sessions s`, oldest first. A session can have 2.5 MB of output, so only its ends are
 * read.
 */
const scriptResults = sql`
  coalesce((
    select jsonb_agg(jsonb_build_object('title', x.title, 'target', x.target, 'exit_code', x.exit_code, 'output', x.output) order by x.created_at, x.id)
      from (select r.id, r.created_at, r.title, r.target, r.exit_code, right(r.output, 1000) as output from script_runs r
             where r.account_id = s.account_id and r.ai_session_id = s.id order by r.created_at desc, r.id desc limit 20) x), '[]')`

/**
 * The time of the caller, or of the session's user where a job runs: `Thursday 2026-11-26 03:12,
 * Europe/Berlin`.
 */
const localTime = sql`
  (select to_char(app.now() at time zone z.name, 'FMDay YYYY-MM-DD HH24:MI, ') || z.name
     from (select coalesce((select me.timezone from users me where me.id = app.user_id()), u.timezone, 'UTC') as name) z)`

/**
 * Select a session that the caller may see, with everything that belongs to it. In a batch it sees the
 * earlier statements' changes.
 */
export const selectAiSession = readStatement(
  AiSessionRow,
  (id: string) => sql`
  select ${aiSessionColumns}, s.triage_hypothesis, s.cause_confirmed, s.evidence_items, s.pending_task_lane, s.task_lane_version, s.is_branching, s.active_branch_id,
         s.escalation_package, s.resolution_notes, s.resolution, s.follow_up, s.team_id, app.owns_ai_session(s) as is_owner,
         ${jsonList(sql`ai_steps x`, stepItem, sql`x.seq`)} as steps,
         ${jsonList(sql`app.branch_messages(s.id, s.active_branch_id) x`, messageItem, sql`x.position`)} as messages,
         ${jsonList(sql`ai_fixes x`, fixItem, sql`x.created_at, x.id`)} as suggested_fixes,
         ${jsonList(sql`ai_facts x`, factItem, sql`x.created_at, x.id`)} as facts,
         ${jsonList(sql`ai_handoffs x`, handoffItem, sql`x.created_at desc, x.id desc`)} as handoffs,
         ${scriptResults} as script_runs, ${localTime} as local_time
    from ai_sessions s ${aiSessionJoins} where s.account_id = app.account_id() and s.id = ${id} and app.sees_ai_session(s)`,
)

/**
 * Condition on `ai_sessions s`: owned by the caller and in one of the states, or in any state for an empty
 * list.
 */
export const isOwnAiSession = (id: string, states: readonly AiStatus[] = []) =>
  sql<boolean>`s.account_id = app.account_id() and s.id = ${id} and app.owns_ai_session(s)${states.length > 0 ? sql` and s.status in (${sql.join(states)})` : sql``}`

/** Run an update that returns a row if it changed the session, then read the session, in one transaction. */
export async function updateAiSession(
  db: WriteDb,
  id: string,
  write: Compilable,
): Promise<{ isChanged: boolean; session: AiSessionRow | undefined }> {
  const [changed, rows] = await db.batch([write, selectAiSession.query(id)])
  return { isChanged: changed.length > 0, session: rows[0] }
}

/** Select the active branch of a session that the caller may see, and nothing else of the session. */
export const selectActiveBranch = readStatement(
  z.object({ active_branch_id: z.string() }),
  (id: string) => sql`
    select s.active_branch_id from ai_sessions s where s.account_id = app.account_id() and s.id = ${id} and app.sees_ai_session(s)`,
)

/**
 * Return the active branch of a session that the caller may see, or throw 404. A long chat costs as little as
 * a short one.
 */
export async function findActiveBranch(db: ReadDb, id: string): Promise<string> {
  return (await selectActiveBranch.first(db, id))?.active_branch_id ?? throwNotFound('AI session')
}
