import { askUntilFit } from '../../../lib/ai/ask-until-valid.ts'
import { draftOf, writtenOf } from '../../../lib/ai/flow-drafts.ts'
import { flowDraft } from '../../../lib/ai/prompts/authoring.ts'
import { inTransaction } from '../../../lib/db/scope.ts'
import { validateFlow } from '../../../lib/flows/validate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import type { Tree } from '../../flows/trees/schemas.ts'
import * as trees from '../../flows/trees/service.ts'
import * as assistant from '../assistant/service.ts'
import * as queries from './queries.ts'
import type { Conversation, ConversationCommit, ConversationStart } from './schemas.ts'

const most = 100
// As many of the newest messages go to the model.
const messagesShown = 20

/** Begins with a first answer: without one nothing is kept. A draft costs one build of the month. */
export async function start(ctx: Writer, given: ConversationStart): Promise<Conversation> {
  await assistant.requireBuild(ctx)
  const { goal, tree_type, environment_tags = [] } = given
  const reply = await answer(ctx, { goal, tree_type, environment_tags, draft: null, messages: [] }, goal)
  const made = await inTransaction(ctx.db, async (db) => {
    const conversation = await queries.insertConversation(db, given, reply)
    if (reply.draft) await assistant.countBuild(db)
    return conversation
  })
  return shown(made)
}

/** Seen by its user alone, for as long as it lives. */
export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<Conversation> {
  return shown(await find(db, id))
}

/** One turn, kept whole or not at all. The first draft costs a build, its refinements do not. */
export async function refine(ctx: Writer, id: string, message: string): Promise<Conversation> {
  const before = await find(ctx.db, id)
  if (before.turns >= most) throw new Problem('conflict', `A conversation has at most ${most} turns`, { code: 'conversation_full' })
  if (!before.draft) await assistant.requireBuild(ctx)
  const reply = await answer(ctx, before, message)
  const after = await inTransaction(ctx.db, async (db) => {
    const conversation = (await queries.addTurn(db, before, message, reply)) ?? (await changed(db, id))
    if (reply.draft && !before.draft) await assistant.countBuild(db)
    return conversation
  })
  return shown(after)
}

/** Makes the draft a flow of the caller's; the conversation ends with it. */
export async function commit(ctx: Writer, id: string, { name }: ConversationCommit): Promise<Tree> {
  return inTransaction(ctx.db, async (db) => {
    const { draft } = (await queries.deleteConversation(db, id)) ?? missing()
    if (!draft) throw new Problem('conflict', 'There is no draft yet', { code: 'no_draft' })
    return trees.create({ db }, { ...draft, name: name ?? draft.name, status: 'draft' })
  })
}

export async function remove({ db }: Writer, id: string): Promise<void> {
  if (!(await queries.deleteConversation(db, id))) missing()
}

type Heard = Pick<queries.ConversationRow, 'goal' | 'tree_type' | 'environment_tags' | 'draft' | 'messages'>

function answer(ctx: Writer, { goal, tree_type, environment_tags, draft, messages }: Heard, message: string): Promise<queries.Reply> {
  const facts = { goal, tree_type, environment_tags, draft: draft && writtenOf(draft) }
  const turns = [...messages, { role: 'user' as const, content: message }]
    .slice(-messagesShown)
    .map(({ role, content }) => ({ role, text: content }))
  return askUntilFit<typeof flowDraft.answer, queries.Reply>(ctx, flowDraft, { facts, turns }, ({ reply, flow }) => {
    if (!flow) return { fit: { reply, draft: null } }
    const made = draftOf(flow, { tree_type, base: draft, redaction: ctx.config.AI_REDACTION, as: 'draft' })
    return 'problems' in made ? made : { fit: { reply, draft: made.fit } }
  })
}

function shown({ turns: _, ...conversation }: queries.ConversationRow): Conversation {
  const { draft } = conversation
  return { ...conversation, problems: draft ? validateFlow(draft, 'published').errors : [] }
}

async function find(db: Reader['db'], id: string): Promise<queries.ConversationRow> {
  return (await queries.selectConversation(db, id)) ?? missing()
}

async function changed(db: Reader['db'], id: string): Promise<never> {
  await find(db, id)
  throw new Problem('conflict', 'Another message was answered meanwhile; read the draft again', { code: 'conversation_moved' })
}

function missing(): never {
  throw new Problem('not_found', 'Flow-builder conversation not found')
}
