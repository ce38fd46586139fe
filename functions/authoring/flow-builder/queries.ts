import { type RawBuilder, sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { FlowDraft } from '../../../lib/flows/flat-nodes.ts'
import type { Conversation, ConversationStart } from './schemas.ts'

export interface ConversationRow extends Omit<Conversation, 'problems' | 'draft'> {
  draft: FlowDraft | null
  turns: number
}
/** An answer of the model. */
export interface ModelReply {
  reply: string
  draft: FlowDraft | null
}

const conversationColumns = sql`c.id, c.goal, c.tree_type, c.environment_tags, c.messages, c.draft, c.turns, c.created_at, c.expires_at`
const isOwnConversation = (id: string) =>
  sql`c.account_id = app.account_id() and c.user_id = app.user_id() and c.id = ${id} and c.expires_at > app.now()`
const toMessages = (message: string, reply: string): RawBuilder<unknown> => sql`jsonb_build_array(
  jsonb_build_object('role', 'user', 'content', ${message}::text, 'created_at', app.iso(app.now())),
  jsonb_build_object('role', 'assistant', 'content', ${reply}::text, 'created_at', app.iso(app.now())))`
const toJsonb = (value: unknown) => sql`${value === null ? null : JSON.stringify(value)}::jsonb`

export async function selectConversation(db: ReadDb, id: string): Promise<ConversationRow | undefined> {
  return (
    await sql<ConversationRow>`select ${conversationColumns} from flow_conversations c where ${isOwnConversation(id)}`.execute(
      db as WriteDb,
    )
  ).rows[0]
}

export async function insertConversation(
  db: WriteDb,
  { goal, tree_type, environment_tags = [] }: ConversationStart,
  { reply, draft }: ModelReply,
): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    insert into flow_conversations as c (goal, tree_type, environment_tags, messages, draft)
    values (${goal}, ${tree_type}, ${toJsonb(environment_tags)}, ${toMessages(goal, reply)}, ${toJsonb(draft)}) returning ${conversationColumns}`.execute(
    db,
  )
  return rows[0] as ConversationRow
}

/** Add a turn to a conversation that has not changed since it was read. Return undefined if it has changed or no longer exists. */
export async function addTurn(
  db: WriteDb,
  { id, turns }: ConversationRow,
  message: string,
  { reply, draft }: ModelReply,
): Promise<ConversationRow | undefined> {
  const { rows } = await sql<ConversationRow>`
    update flow_conversations c
       set turns = c.turns + 1, messages = c.messages || ${toMessages(message, reply)}, draft = coalesce(${toJsonb(draft)}, c.draft)
     where ${isOwnConversation(id)} and c.turns = ${turns} returning ${conversationColumns}`.execute(db)
  return rows[0]
}

/** Delete a conversation and return it, or undefined when there was none. */
export async function deleteConversation(db: WriteDb, id: string): Promise<ConversationRow | undefined> {
  return (
    await sql<ConversationRow>`delete from flow_conversations c where ${isOwnConversation(id)} returning ${conversationColumns}`.execute(db)
  ).rows[0]
}
