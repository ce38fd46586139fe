import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb, nowText } from '#db/expressions.ts'
import { isAfter, newestFirst, type PageQuery } from '#db/page.ts'
import { AiSessionItem, type AiSessionRow } from '#db/rows/ai-session.ts'
import {
  aiSessionColumns,
  aiSessionJoins,
  isOwnAiSession,
  selectAiSession,
} from '#db/rows/ai-session-queries.ts'
import { type Candidate, type Meaning, selectCandidates } from '#db/rows/candidates.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { openStates } from '#rules/ai/session-values.ts'
import { callEmitWebhook, EmittedWebhooks } from '#work/webhooks.ts'
import type { AiSessionQuery, AiSessionResolve, FixOutcomeEntry } from './schemas.ts'

const ChangedRow = z.object({ id: z.string() })

export interface NewAiSession {
  id: string
  session_type: 'guided' | 'chat'
  title: string
  problem_summary: string | null
  psa_ticket_id: string | null
  tree_id: string | null
  client_name: string | null
  asset_name: string | null
  environment_tags: string[]
}

export const insertOwnAiSession = writeStatement(
  null,
  ({ tree_id, environment_tags, ...columns }: NewAiSession) => sql`
    insert into ai_sessions (${sql.join(Object.keys(columns).map((column) => sql.ref(column)))}, environment_tags, tree_account_id, tree_id)
    select ${sql.join(Object.values(columns))}, array(select jsonb_array_elements_text(${jsonb(environment_tags)})), t.account_id, t.id
      from (select 1) single_row left join trees t on t.id = ${tree_id} and t.deleted_at is null`,
)

export async function insertAiSession(db: WriteDb, session: NewAiSession): Promise<AiSessionRow | undefined> {
  const [, rows] = await db.batch([insertOwnAiSession.query(session), selectAiSession.query(session.id)])
  return rows[0]
}

/**
 * Select the sessions that the caller started or picked up, or that were escalated to the caller, newest
 * first. Each of the three parts uses its own index. With `owner_left`, select those that the caller
 * inherits.
 */
export const selectAiSessions = readStatement(
  AiSessionItem,
  ({ skip, limit, after, owner_left, ...query }: AiSessionQuery & PageQuery) => {
    const page = { skip, limit, after }
    const filters = Object.entries(query).map(([column, value]) => sql`s.${sql.ref(column)} = ${value}`)
    const isListed = sql.join([isAfter(newestFirst, page, 's'), ...filters], sql` and `)
    const newestBy = (column: RawBuilder<unknown>) => sql`
    (select s.id, s.created_at from ai_sessions s where s.account_id = app.account_id() and s.${column} = app.user_id() and ${isListed}
      order by s.created_at desc, s.id desc limit ${page.skip + page.limit + 1}::bigint)`
    const inherited = (column: RawBuilder<unknown>) => sql`
    select s.id, s.created_at from users u join ai_sessions s on s.account_id = u.account_id and s.${column} = u.id
     where u.account_id = app.account_id() and not app.can_work(u) and app.inherits_ai_session(s) and ${isListed}`
    const candidates = owner_left
      ? sql`${inherited(sql`user_id`)} union ${inherited(sql`picked_up_by_id`)}`
      : sql`${newestBy(sql`user_id`)} union ${newestBy(sql`escalated_to_id`)} union ${newestBy(sql`picked_up_by_id`)}`
    return sql`
    with candidates as (${candidates}),
         page as (select id from candidates order by created_at desc, id desc offset ${page.skip} limit ${page.limit + 1})
    select ${aiSessionColumns} from page join ai_sessions s on s.account_id = app.account_id() and s.id = page.id ${aiSessionJoins}
     order by s.created_at desc, s.id desc`
  },
)

/** Delete the caller's own session. Return whether there was one. */
export async function deleteAiSession(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('ai_sessions as s')
    .where(isOwnAiSession(id))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

const openSession = (id: string) => sql`
  open_session as (select s.id, s.status from ai_sessions s where ${isOwnAiSession(id, openStates)} for no key update)`
const closeHandoff = (id: string) => sql`
  update ai_handoffs h set closed_at = app.now() from closed_session where h.account_id = app.account_id() and h.session_id = ${id} and h.closed_at is null`
// An old escalation waits in the queue without a handoff.
const hadHandoff = sql`(s.old_status = 'requesting_escalation' or exists (select from closed_handoff)) as had_handoff`
const ClosedRow = ChangedRow.extend({ had_handoff: z.boolean() })

const resolvedData = sql`
  json_build_object('session_id', s.id, 'kind', 'ai', 'outcome', s.outcome, 'ticket_id', s.psa_ticket_id, 'flow_id', null, 'flow_name', null, 'parent_session_id', null,
    'batch_id', null, 'user_id', s.user_id, 'team_id', s.team_id, 'completed_at', app.iso(s.resolved_at))`

/** Resolve an open session, close its open handoff, and insert its messages for webhooks. */
export const resolveAiSession = writeStatement(
  ClosedRow.extend(EmittedWebhooks.shape),
  (id: string, { outcome, notes, resolution, follow_up }: AiSessionResolve) => sql`
    with ${openSession(id)}, closed_session as (
      update ai_sessions s
         set status = 'resolved', outcome = ${outcome}, resolution_notes = ${notes ?? null}, resolution = ${resolution ?? null},
             follow_up = ${follow_up ?? null}, resolved_at = app.now(), updated_at = app.now(), last_activity_at = app.now()
        from open_session o where s.account_id = app.account_id() and s.id = o.id returning s.*, o.status as old_status
    ), closed_handoff as (${closeHandoff(id)} returning h.id)
    select s.id, ${hadHandoff}, ${callEmitWebhook('session.completed', sql`s.id::text`, resolvedData)} as webhook_delivery_ids from closed_session s`,
)

/** Select the time that the database takes for this moment. */
export const selectNow = readStatement(z.object({ now: z.string() }), () => sql`select ${nowText} as now`)

/** Record outcomes of fixes of the caller's own session that have no final one yet. */
export const recordOutcomes = writeStatement(
  null,
  (id: string, outcomes: readonly FixOutcomeEntry[]) => sql`
    with x as (
      update ai_fixes x
         set status = o.outcome, ai_outcome_proposal = null, updated_at = app.now(),
             partial_notes = case o.outcome when 'applied_partial' then o.notes else x.partial_notes end,
             pending_reason = case o.outcome when 'applied_pending' then o.reason else x.pending_reason end,
             failure_reason = case o.outcome when 'applied_failed' then o.notes else x.failure_reason end,
             applied_at = case o.outcome when 'dismissed' then x.applied_at else coalesce(x.applied_at, app.now()) end,
             verified_at = case when o.outcome in ('applied_success', 'applied_failed') then app.now() else x.verified_at end
        from ai_sessions s, jsonb_to_recordset(${jsonb(outcomes)}) o (fix_id uuid, outcome text, notes text, reason text)
       where ${isOwnAiSession(id)} and x.account_id = s.account_id and x.session_id = s.id and x.id = o.fix_id
         and x.status in ('proposed', 'applied_partial', 'applied_pending')
      returning x.id
    )
    update ai_sessions s set state_version = s.state_version + (select count(*) from x) where ${isOwnAiSession(id)}`,
)

/** Abandon an open session and close its open handoff. */
export const abandonAiSession = writeStatement(
  ClosedRow,
  (id: string) => sql`
    with ${openSession(id)}, closed_session as (
      update ai_sessions s set status = 'abandoned', updated_at = app.now()
        from open_session o where s.account_id = app.account_id() and s.id = o.id returning s.id, o.status as old_status
    ), closed_handoff as (${closeHandoff(id)} returning h.id) select s.id, ${hadHandoff} from closed_session s`,
)

export async function setSessionPush(db: WriteDb, id: string, pushId: string): Promise<void> {
  await db
    .updateTable('ai_sessions')
    .set({ psa_push_id: pushId })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Archive up to `limit` chats without activity for 30 days. Skip chats that another call changes. */
export const archiveIdleChats = writeStatement(
  null,
  (limit: number) => sql`
    update ai_sessions set status = 'archived', updated_at = app.now()
     where ctid = any (array(
       select ctid from ai_sessions
        where session_type = 'chat' and status in ('active', 'parked') and last_activity_at < app.now() - interval '30 days'
        limit ${limit} for update skip locked))`,
)

/**
 * Select the flows, articles and resolved sessions that fit a text, best first, and up to 5 scripts that
 * match it.
 */
export async function selectMaterial(
  db: ReadDb,
  text: string,
  treeId: string | null,
  meaning: Meaning | null,
  client: string | null,
) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,40}/gu) ?? []
  const query = sql`websearch_to_tsquery('english', ${[...new Set(words)].slice(0, 100).join(' or ')})`
  const matchingTemplates = db
    .selectFrom('script_templates')
    .select(['id', 'name', 'description', 'language'])
    .where(sql<boolean>`words @@ ${query}`)
    .orderBy(sql`ts_rank(words, ${query})`, 'desc')
    .orderBy('id')
    .limit(5)
  const [candidates, templates] = await db.batch([
    selectCandidates.query(text, treeId, meaning, client),
    matchingTemplates,
  ])
  return { candidates: candidates as Candidate[], templates }
}
