import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { ParametersSchema } from '../../../lib/scripts/schema.ts'
import type { BuilderCreate, BuilderItem, BuilderSession } from './schemas.ts'

const isOwnSession = sql`s.account_id = app.account_id() and s.user_id = app.user_id()`
const itemColumns = sql`
  s.id, s.user_id, s.origin, s.ai_session_id, s.language, s.title, s.created_at, s.updated_at,
  (select count(*)::integer from script_builder_messages m where m.account_id = s.account_id and m.session_id = s.id) as message_count`

export async function selectSessions(
  db: ReadDb,
  origin: 'standalone' | 'pilot_inline' | 'all',
  { skip, limit }: PageQuery,
): Promise<BuilderItem[]> {
  const { rows } = await sql<BuilderItem>`
    select ${itemColumns} from script_builder_sessions s where ${isOwnSession} and (${origin} = 'all' or s.origin = ${origin})
     order by s.created_at desc, s.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectSession(db: ReadDb, id: string): Promise<BuilderSession | undefined> {
  const { rows } = await sql<BuilderSession>`
    select ${itemColumns}, s.script_body, s.parameters_schema,
           coalesce((select jsonb_agg(jsonb_build_object('id', m.id, 'role', m.role, 'content', m.content, 'created_at', app.iso(m.created_at))
                                      order by m.position)
                       from script_builder_messages m where m.account_id = s.account_id and m.session_id = s.id), '[]') as messages
      from script_builder_sessions s where ${isOwnSession} and s.id = ${id}`.execute(db as WriteDb)
  return rows[0]
}

/**
 * Insert a session in the first free one of the caller's five slots (`place`). Return undefined if no slot is free. Violates a unique key
 * if a concurrent request takes the same slot.
 */
export async function insertStandalone(db: WriteDb, { language, title }: BuilderCreate): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into script_builder_sessions (origin, place, language, title)
    select 'standalone', slot, ${language}, ${title ?? 'New script'} from generate_series(1, 5) slot
     where not exists (select from script_builder_sessions s where ${isOwnSession} and s.place = slot)
     order by slot limit 1 returning id`.execute(db)
  return rows[0]?.id
}

/** Get or create the script-builder session of an AI session. Return undefined unless the AI session is the caller's own. */
export async function insertInline(
  db: WriteDb,
  { ai_session_id, language, title }: BuilderCreate,
): Promise<{ id: string; isNew: boolean } | undefined> {
  const insert = sql<{ id: string }>`
    insert into script_builder_sessions (origin, ai_session_id, language, title)
    select 'pilot_inline', a.id, ${language}, coalesce(${title ?? null}, a.title) from ai_sessions a
     where a.account_id = app.account_id() and a.id = ${ai_session_id ?? null} and app.owns_ai_session(a)
    on conflict do nothing returning id`
  const read = sql<{ id: string }>`
    select s.id from script_builder_sessions s join ai_sessions a on a.account_id = s.account_id and a.id = s.ai_session_id
     where ${isOwnSession} and s.ai_session_id = ${ai_session_id ?? null} and app.owns_ai_session(a)`
  const [inserted, sessions] = await db.batch([statement(db, insert), statement(db, read)])
  const [session] = sessions
  return session && { id: session.id, isNew: inserted.length > 0 }
}

export async function insertUserMessage(db: WriteDb, id: string, content: string): Promise<boolean> {
  const { rows } = await sql`
    insert into script_builder_messages (session_id, role, content)
    select s.id, 'user', ${content} from script_builder_sessions s where ${isOwnSession} and s.id = ${id} returning id`.execute(db)
  return rows.length > 0
}

/** Insert the model's reply, and store its script unless it is null. */
export async function insertReply(
  db: WriteDb,
  id: string,
  content: string,
  script: { body: string; parameters: ParametersSchema } | null,
): Promise<BuilderSession['messages'][number] | undefined> {
  const body = script ? sql`${script.body}` : sql`s.script_body`
  const parameters = script ? sql`${JSON.stringify(script.parameters)}::jsonb` : sql`s.parameters_schema`
  const { rows } = await sql<BuilderSession['messages'][number]>`
    with updated_session as (
      update script_builder_sessions s set updated_at = app.now(), script_body = ${body}, parameters_schema = ${parameters}
       where ${isOwnSession} and s.id = ${id} returning s.id)
    insert into script_builder_messages (session_id, role, content) select id, 'assistant', ${content} from updated_session
    returning id, role, content, created_at`.execute(db)
  return rows[0]
}

export async function deleteSession(db: WriteDb, id: string): Promise<boolean> {
  return (
    (await sql`delete from script_builder_sessions s where ${isOwnSession} and s.id = ${id} returning s.id`.execute(db)).rows.length > 0
  )
}
