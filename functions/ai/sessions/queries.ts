import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import { type AiSessionItem, type AiSessionRow, openStates } from '../../../lib/db/rows/ai-session.ts'
import {
  aiSessionColumns,
  aiSessionJoins,
  fullAiSession,
  isOwnAiSession,
  updateAiSession,
} from '../../../lib/db/rows/ai-session-queries.ts'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { TreeStructure } from '../../../lib/flows/structure.ts'
import type { AiSessionQuery, AiSessionResolve } from './schemas.ts'

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

export async function insertAiSession(db: WriteDb, session: NewAiSession): Promise<AiSessionRow | undefined> {
  const { tree_id, environment_tags, ...columns } = session
  const insert = sql`
    insert into ai_sessions (${sql.join(Object.keys(columns).map((column) => sql.ref(column)))}, environment_tags, tree_account_id, tree_id)
    select ${sql.join(Object.values(columns))}, array(select jsonb_array_elements_text(${JSON.stringify(environment_tags)}::jsonb)), t.account_id, t.id
      from (select 1) single_row left join trees t on t.id = ${tree_id} and t.deleted_at is null`
  const [, rows] = await db.batch([statement(db, insert), statement(db, fullAiSession(session.id))])
  return rows[0]
}

/** Select the sessions that the caller started, picked up or is the target of, newest first. Each of the three parts uses its own index. */
export async function selectAiSessions(db: ReadDb, { skip, limit, ...query }: AiSessionQuery & PageQuery): Promise<AiSessionItem[]> {
  const filters = Object.entries(query).map(([column, value]) => sql`and s.${sql.ref(column)} = ${value}`)
  const newestBy = (column: RawBuilder<unknown>) => sql`
    (select s.id, s.created_at from ai_sessions s where s.account_id = app.account_id() and s.${column} = app.user_id() ${sql.join(filters, sql` `)}
      order by s.created_at desc, s.id desc limit ${skip + limit + 1}::bigint)`
  const { rows } = await sql<AiSessionItem>`
    with candidates as (${newestBy(sql`user_id`)} union ${newestBy(sql`escalated_to_id`)} union ${newestBy(sql`picked_up_by_id`)}),
         page as (select id from candidates order by created_at desc, id desc offset ${skip} limit ${limit + 1})
    select ${aiSessionColumns} from page join ai_sessions s on s.account_id = app.account_id() and s.id = page.id ${aiSessionJoins}
     order by s.created_at desc, s.id desc`.execute(db as WriteDb)
  return rows
}

export async function deleteAiSession(db: WriteDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from ai_sessions s where s.account_id = app.account_id() and s.id = ${id} and app.owns_ai_session(s) returning s.id`.execute(db)
  return rows.length > 0
}

const closeHandoff = (id: string) => sql`
  update ai_handoffs h set closed_at = app.now() from closed_session where h.account_id = app.account_id() and h.session_id = ${id} and h.closed_at is null`

/** Resolve an open session and close its open handoff. */
export function resolveAiSession(db: WriteDb, id: string, { outcome, notes }: AiSessionResolve) {
  return updateAiSession(
    db,
    id,
    sql`
    with closed_session as (
      update ai_sessions s
         set status = 'resolved', outcome = ${outcome}, resolution_notes = ${notes ?? null}, resolved_at = app.now(), updated_at = app.now(),
             last_activity_at = app.now()
       where ${isOwnAiSession(id, openStates)} returning s.id
    ), closed_handoff as (${closeHandoff(id)}) select id from closed_session`,
  )
}

/** Abandon an open session and close its open handoff. */
export function abandonAiSession(db: WriteDb, id: string) {
  return updateAiSession(
    db,
    id,
    sql`
    with closed_session as (
      update ai_sessions s set status = 'abandoned', updated_at = app.now() where ${isOwnAiSession(id, openStates)} returning s.id
    ), closed_handoff as (${closeHandoff(id)}) select id from closed_session`,
  )
}

export async function setSessionPush(db: WriteDb, id: string, pushId: string): Promise<void> {
  await sql`update ai_sessions set psa_push_id = ${pushId} where account_id = app.account_id() and id = ${id}`.execute(db)
}

/** Archive chats without activity for 30 days. */
export async function archiveIdle(db: PlatformDb): Promise<void> {
  await sql`
    update ai_sessions set status = 'archived', updated_at = app.now()
     where session_type = 'chat' and status in ('active', 'parked') and last_activity_at < app.now() - interval '30 days'`.execute(db)
}

export interface CandidateFlow {
  id: string
  name: string
  description: string
  category: string | null
  tree_structure: TreeStructure
}
export interface CandidateTemplate {
  id: string
  name: string
  description: string
  language: 'powershell' | 'bash' | 'python'
}

/** Select flows and scripts that may match a text, the best match first. If `treeId` is set, it is the only flow that is considered. */
export async function selectCandidates(db: Pick<ReadDb, 'batch' | 'getExecutor'>, text: string, treeId: string | null) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,40}/gu) ?? []
  const query = [...new Set(words)].slice(0, 100).join(' or ')
  const flows = sql<CandidateFlow>`
    select t.id, t.name, t.description, v.category, v.tree_structure
      from trees t join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     where t.tree_type = 'troubleshooting' and t.status = 'published' and t.deleted_at is null and v.tree_structure is not null
       and (${treeId}::uuid is null or t.id = ${treeId})
     order by ts_rank(t.words, websearch_to_tsquery('english', ${query})) desc, t.usage_count desc, t.id limit 4`
  const templates = sql<CandidateTemplate>`
    select s.id, s.name, s.description, s.language from script_templates s
     where s.words @@ websearch_to_tsquery('english', ${query})
     order by ts_rank(s.words, websearch_to_tsquery('english', ${query})) desc, s.id limit 5`
  const [flowRows, templateRows] = await db.batch([statement(db, flows), statement(db, templates)])
  return { flows: flowRows, templates: templateRows }
}
