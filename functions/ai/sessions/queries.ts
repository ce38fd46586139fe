import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import { type AiSessionItem, type AiSessionRow, openStates } from '../../../lib/db/rows/ai-session.ts'
import { aiSessionColumns, aiSessionJoins, changeAiSession, fullAiSession, ownAiSession } from '../../../lib/db/rows/ai-session-queries.ts'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { TreeStructure } from '../../../lib/flows/structure.ts'
import type { AiSessionQuery, Resolve } from './schemas.ts'

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
  const { tree_id, environment_tags, ...given } = session
  const insert = sql`
    insert into ai_sessions (${sql.join(Object.keys(given).map((column) => sql.ref(column)))}, environment_tags, tree_account_id, tree_id)
    select ${sql.join(Object.values(given))}, array(select jsonb_array_elements_text(${JSON.stringify(environment_tags)}::jsonb)), t.account_id, t.id
      from (select 1) one left join trees t on t.id = ${tree_id} and t.deleted_at is null`
  const [, rows] = await db.batch([statement(db, insert), statement(db, fullAiSession(session.id))])
  return rows[0]
}

/** The caller's own sessions, those escalated to them and those they picked up, newest first: each has its index. */
export async function selectAiSessions(db: ReadDb, { skip, limit, ...query }: AiSessionQuery & PageQuery): Promise<AiSessionItem[]> {
  const filters = Object.entries(query).map(([column, value]) => sql`and s.${sql.ref(column)} = ${value}`)
  const branch = (column: RawBuilder<unknown>) => sql`
    (select s.id, s.created_at from ai_sessions s where s.account_id = app.account_id() and s.${column} = app.user_id() ${sql.join(filters, sql` `)}
      order by s.created_at desc, s.id desc limit ${skip + limit + 1}::bigint)`
  const { rows } = await sql<AiSessionItem>`
    with mine as (${branch(sql`user_id`)} union ${branch(sql`escalated_to_id`)} union ${branch(sql`picked_up_by_id`)}),
         page as (select id from mine order by created_at desc, id desc offset ${skip} limit ${limit + 1})
    select ${aiSessionColumns} from page join ai_sessions s on s.account_id = app.account_id() and s.id = page.id ${aiSessionJoins}
     order by s.created_at desc, s.id desc`.execute(db as WriteDb)
  return rows
}

export async function deleteAiSession(db: WriteDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from ai_sessions s where s.account_id = app.account_id() and s.id = ${id} and app.owns_ai_session(s) returning s.id`.execute(db)
  return rows.length > 0
}

const closeHandoffs = (id: string) => sql`
  update ai_handoffs h set closed_at = app.now() from closed where h.account_id = app.account_id() and h.session_id = ${id} and h.closed_at is null`

/** Ends a session that is not over, and the handoff that waits in it. */
export function resolveAiSession(db: WriteDb, id: string, { outcome, notes }: Resolve) {
  return changeAiSession(
    db,
    id,
    sql`
    with closed as (
      update ai_sessions s
         set status = 'resolved', outcome = ${outcome}, resolution_notes = ${notes ?? null}, resolved_at = app.now(), updated_at = app.now(),
             last_activity_at = app.now()
       where ${ownAiSession(id, openStates)} returning s.id
    ), ended as (${closeHandoffs(id)}) select id from closed`,
  )
}

export function abandonAiSession(db: WriteDb, id: string) {
  return changeAiSession(
    db,
    id,
    sql`
    with closed as (
      update ai_sessions s set status = 'abandoned', updated_at = app.now() where ${ownAiSession(id, openStates)} returning s.id
    ), ended as (${closeHandoffs(id)}) select id from closed`,
  )
}

export async function setPush(db: WriteDb, id: string, pushId: string): Promise<void> {
  await sql`update ai_sessions set psa_push_id = ${pushId} where account_id = app.account_id() and id = ${id}`.execute(db)
}

/** Lays away chats in which nothing was done for 30 days. */
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

/** Guided flows and scripts of the caller's that may have to do with a text, the likeliest first; one flow when it is named. */
export async function selectCandidates(db: Pick<ReadDb, 'batch' | 'getExecutor'>, text: string, treeId: string | null) {
  const asked = text.toLowerCase().match(/[\p{L}\p{N}]{2,40}/gu) ?? []
  const query = [...new Set(asked)].slice(0, 100).join(' or ')
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
  const [foundFlows, foundTemplates] = await db.batch([statement(db, flows), statement(db, templates)])
  return { flows: foundFlows, templates: foundTemplates }
}
