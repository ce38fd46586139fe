import { type RawBuilder, sql } from 'kysely'
import { accountId, isInherited, isOwnOrInherited, jsonb, now, userId } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { Json } from '#db/schema.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import type { FlowDraft } from '#rules/flows/flat-nodes.ts'
import type { Conversation, ConversationItem, ConversationQuery, ConversationStart } from './schemas.ts'

export interface ConversationRow extends Omit<Conversation, 'draft' | 'problems'> {
  draft: FlowDraft | null
  turns: number
  last_work_id: string | null
}
/** An answer of the model. */
export interface ModelReply {
  reply: string
  draft: FlowDraft | null
}

const conversationColumns = [
  'id',
  'goal',
  'tree_type',
  'environment_tags',
  sql<Conversation['messages']>`messages`.as('messages'),
  sql<FlowDraft | null>`draft`.as('draft'),
  'turns',
  'last_work_id',
  'created_at',
  'expires_at',
] as const
const itemColumns = [
  'id',
  'user_id',
  sql<string>`left(goal, 300)`.as('goal'),
  'tree_type',
  'turns',
  'created_at',
  'expires_at',
] as const
const isReachable = (id: string) =>
  sql<boolean>`account_id = ${accountId} and ${isOwnOrInherited('user_id')} and id = ${id} and expires_at > ${now}`

export function selectConversations(
  db: ReadDb,
  { owner_left, ...page }: ConversationQuery & PageQuery,
): Promise<ConversationItem[]> {
  return db
    .selectFrom('flow_conversations')
    .select(itemColumns)
    .where('account_id', '=', accountId)
    .where(owner_left ? isInherited('user_id') : sql<boolean>`user_id = ${userId}`)
    .where('expires_at', '>', now)
    .$call(selectPage(newestFirst, page))
    .execute()
}

const toMessages = (message: string, reply: string): RawBuilder<Json> => sql`jsonb_build_array(
  jsonb_build_object('role', 'user', 'content', ${message}::text, 'created_at', app.iso(app.now())),
  jsonb_build_object('role', 'assistant', 'content', ${reply}::text, 'created_at', app.iso(app.now())))`

export function selectConversation(db: ReadDb, id: string): Promise<ConversationRow | undefined> {
  return db
    .selectFrom('flow_conversations')
    .select(conversationColumns)
    .where(isReachable(id))
    .executeTakeFirst()
}

export function insertConversation(
  db: WriteDb,
  id: string,
  { goal, tree_type, environment_tags = [] }: ConversationStart,
  { reply, draft }: ModelReply,
): Promise<ConversationRow> {
  return db
    .insertInto('flow_conversations')
    .values({
      id,
      goal,
      tree_type,
      environment_tags: jsonb(environment_tags),
      messages: toMessages(goal, reply),
      draft: draft && jsonb(draft),
    })
    .returning(conversationColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Add a turn to a conversation that has not changed since it was read. Return undefined if it has changed or
 * no longer exists.
 */
export function addTurn(
  db: WriteDb,
  { id, turns }: ConversationRow,
  { workId, message, reply: { reply, draft } }: { workId: string; message: string; reply: ModelReply },
): Promise<ConversationRow | undefined> {
  return db
    .updateTable('flow_conversations')
    .set({
      turns: turns + 1,
      last_work_id: workId,
      messages: sql<Json>`messages || ${toMessages(message, reply)}`,
      draft: draft ? jsonb(draft) : undefined,
    })
    .where(isReachable(id))
    .where('turns', '=', turns)
    .returning(conversationColumns)
    .executeTakeFirst()
}

/** Delete a conversation and return it, or undefined when there was none. */
export function deleteConversation(db: WriteDb, id: string): Promise<ConversationRow | undefined> {
  return db
    .deleteFrom('flow_conversations')
    .where(isReachable(id))
    .returning(conversationColumns)
    .executeTakeFirst()
}
