import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, isInherited, isOwnOrInherited, jsonb, now, userId } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { ParametersSchema } from '#rules/scripts/schema.ts'
import type { BuilderCreate, BuilderItem, BuilderQuery, BuilderSession } from './schemas.ts'

const isOwnSession = sql<boolean>`s.account_id = ${accountId} and s.user_id = ${userId}`
const isReachable = sql<boolean>`s.account_id = ${accountId} and ${isOwnOrInherited('s.user_id')}`
const messageCount = sql<number>`
  (select count(*)::integer from script_builder_messages m where m.account_id = s.account_id and m.session_id = s.id)`
const messages = sql<BuilderSession['messages']>`
  coalesce((select jsonb_agg(jsonb_build_object('id', m.id, 'role', m.role, 'content', m.content, 'created_at', app.iso(m.created_at))
                             order by m.position)
              from script_builder_messages m where m.account_id = s.account_id and m.session_id = s.id), '[]')`
const itemColumns = [
  's.id',
  's.user_id',
  's.origin',
  's.ai_session_id',
  's.language',
  's.title',
  's.created_at',
  's.updated_at',
  messageCount.as('message_count'),
] as const

export function selectSessions(
  db: ReadDb,
  { origin, owner_left, ...page }: BuilderQuery & PageQuery,
): Promise<BuilderItem[]> {
  let sessions = db
    .selectFrom('script_builder_sessions as s')
    .select(itemColumns)
    .where(
      owner_left ? sql<boolean>`s.account_id = ${accountId} and ${isInherited('s.user_id')}` : isOwnSession,
    )
  if (origin !== 'all') sessions = sessions.where('s.origin', '=', origin)
  return sessions.$call(selectPage(newestFirst, page, 's')).execute()
}

export function selectSession(db: ReadDb, id: string): Promise<BuilderSession | undefined> {
  return db
    .selectFrom('script_builder_sessions as s')
    .select([...itemColumns, 's.script_body', 's.parameters_schema', messages.as('messages')])
    .where(isReachable)
    .where('s.id', '=', id)
    .executeTakeFirst()
}

/**
 * Insert a session in the first free one of the caller's five slots (`place`). Return no row if no slot is
 * free. Violates a unique key if a concurrent request takes the same slot.
 */
export const insertStandalone = writeStatement(
  z.object({ id: z.string() }),
  ({ language, title }: BuilderCreate) => sql`
    insert into script_builder_sessions (origin, place, language, title)
    select 'standalone', slot, ${language}, ${title ?? 'New script'} from generate_series(1, 5) slot
     where not exists (select from script_builder_sessions s where ${isOwnSession} and s.place = slot)
     order by slot limit 1 returning id`,
)

const ownsAiSession = sql<boolean>`app.owns_ai_session(a)`

function insertInlineSession(db: WriteDb, { ai_session_id, language, title }: BuilderCreate) {
  return db
    .insertInto('script_builder_sessions')
    .columns(['origin', 'ai_session_id', 'language', 'title'])
    .expression((eb) =>
      eb
        .selectFrom('ai_sessions as a')
        .select([sql.lit('pilot_inline' as const).as('origin'), 'a.id', eb.val(language).as('language')])
        .select(sql<string>`coalesce(${title ?? null}, a.title)`.as('title'))
        .where('a.account_id', '=', accountId)
        .where('a.id', '=', ai_session_id ?? null)
        .where(ownsAiSession),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
}

function selectInlineSession(db: ReadDb, { ai_session_id }: BuilderCreate) {
  return db
    .selectFrom('script_builder_sessions as s')
    .innerJoin('ai_sessions as a', (join) =>
      join.onRef('a.account_id', '=', 's.account_id').onRef('a.id', '=', 's.ai_session_id'),
    )
    .select('s.id')
    .where(isOwnSession)
    .where('s.ai_session_id', '=', ai_session_id ?? null)
    .where(ownsAiSession)
}

/**
 * Get or create the script-builder session of an AI session. Return undefined unless the AI session is the
 * caller's own.
 */
export async function insertInline(
  db: WriteDb,
  input: BuilderCreate,
): Promise<{ id: string; isNew: boolean } | undefined> {
  const [inserted, sessions] = await db.batch([
    insertInlineSession(db, input),
    selectInlineSession(db, input),
  ])
  const [session] = sessions
  return session && { id: session.id, isNew: inserted.length > 0 }
}

/** Insert a message of the caller. Return undefined unless the caller reaches the session. */
export function insertUserMessage(
  db: WriteDb,
  sessionId: string,
  message: { id: string; content: string },
): Promise<{ id: string } | undefined> {
  return db
    .insertInto('script_builder_messages')
    .columns(['id', 'session_id', 'role', 'content'])
    .expression((eb) =>
      eb
        .selectFrom('script_builder_sessions as s')
        .select([
          sql<string>`${message.id}::uuid`.as('id'),
          's.id as session_id',
          sql.lit('user' as const).as('role'),
        ])
        .select(eb.val(message.content).as('content'))
        .where(isReachable)
        .where('s.id', '=', sessionId),
    )
    .returning('id')
    .executeTakeFirst()
}

/** Insert the model's reply, and store its script unless it is null. */
export function insertReply(
  db: WriteDb,
  id: string,
  content: string,
  script: { body: string; parameters: ParametersSchema } | null,
) {
  return db
    .with('updated_session', (query) =>
      query
        .updateTable('script_builder_sessions as s')
        .set({
          updated_at: now,
          ...(script ? { script_body: script.body, parameters_schema: jsonb(script.parameters) } : {}),
        })
        .where(isReachable)
        .where('s.id', '=', id)
        .returning('s.id'),
    )
    .insertInto('script_builder_messages')
    .columns(['session_id', 'role', 'content'])
    .expression((eb) =>
      eb
        .selectFrom('updated_session')
        .select(['id', sql.lit('assistant' as const).as('role'), eb.val(content).as('content')]),
    )
    .returning(['id', 'role', 'content', 'created_at'])
    .executeTakeFirst()
}

/** Delete a session that the caller reaches. Return whether there was one. */
export async function deleteSession(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('script_builder_sessions as s')
    .where(isReachable)
    .where('s.id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
