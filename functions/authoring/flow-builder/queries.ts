import { type RawBuilder, sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { FlowDraft } from '../../../lib/flows/draft.ts'
import type { Conversation, ConversationStart } from './schemas.ts'

export interface ConversationRow extends Omit<Conversation, 'problems' | 'draft'> {
  draft: FlowDraft | null
  turns: number
}
/** What the model answered. */
export interface Reply {
  reply: string
  draft: FlowDraft | null
}

const columns = sql`c.id, c.goal, c.tree_type, c.environment_tags, c.messages, c.draft, c.turns, c.created_at, c.expires_at`
const mine = (id: string) =>
  sql`c.account_id = app.account_id() and c.user_id = app.user_id() and c.id = ${id} and c.expires_at > app.now()`
const said = (message: string, reply: string): RawBuilder<unknown> => sql`jsonb_build_array(
  jsonb_build_object('role', 'user', 'content', ${message}::text, 'created_at', app.iso(app.now())),
  jsonb_build_object('role', 'assistant', 'content', ${reply}::text, 'created_at', app.iso(app.now())))`
const json = (value: unknown) => sql`${value === null ? null : JSON.stringify(value)}::jsonb`

export async function selectConversation(db: ReadDb, id: string): Promise<ConversationRow | undefined> {
  return (await sql<ConversationRow>`select ${columns} from flow_conversations c where ${mine(id)}`.execute(db as WriteDb)).rows[0]
}

export async function insertConversation(
  db: WriteDb,
  { goal, tree_type, environment_tags = [] }: ConversationStart,
  { reply, draft }: Reply,
): Promise<ConversationRow> {
  const { rows } = await sql<ConversationRow>`
    insert into flow_conversations as c (goal, tree_type, environment_tags, messages, draft)
    values (${goal}, ${tree_type}, ${json(environment_tags)}, ${said(goal, reply)}, ${json(draft)}) returning ${columns}`.execute(db)
  return rows[0] as ConversationRow
}

/** Adds a turn to the conversation as it was seen; undefined when another was added meanwhile, or it is gone. */
export async function addTurn(
  db: WriteDb,
  { id, turns }: ConversationRow,
  message: string,
  { reply, draft }: Reply,
): Promise<ConversationRow | undefined> {
  const { rows } = await sql<ConversationRow>`
    update flow_conversations c
       set turns = c.turns + 1, messages = c.messages || ${said(message, reply)}, draft = coalesce(${json(draft)}, c.draft)
     where ${mine(id)} and c.turns = ${turns} returning ${columns}`.execute(db)
  return rows[0]
}

/** Takes a conversation away; what it held, or undefined when there was none. */
export async function deleteConversation(db: WriteDb, id: string): Promise<ConversationRow | undefined> {
  return (await sql<ConversationRow>`delete from flow_conversations c where ${mine(id)} returning ${columns}`.execute(db)).rows[0]
}
