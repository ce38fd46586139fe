import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { inTransaction } from '#db/scope.ts'
import * as assistant from '#functions/authoring/assistant/service.ts'
import type { Tree } from '#functions/flows/trees/schemas.ts'
import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { limitReached, notFound, Problem, staleVersion, throwNotFound } from '#problem.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { askUntilValid } from '#vendors/ai/ask-until-valid.ts'
import { toFlowDraft, toModelFlow } from '#vendors/ai/flow-drafts.ts'
import { flowDraft } from '#vendors/ai/prompts/authoring.ts'
import * as queries from './queries.ts'
import type { Conversation, ConversationCommit, ConversationQuery, ConversationStart } from './schemas.ts'

const maxTurns = 100
// The newest messages that a prompt contains.
const maxPromptMessages = 20

/**
 * Start a conversation with a first answer of the model. Store nothing if the model fails. A draft counts as
 * one build of the month.
 */
export async function start(ctx: WriteContext, input: ConversationStart): Promise<Conversation> {
  const earlier = ctx.isRepeat ? await queries.selectConversation(ctx.db, ctx.workId) : undefined
  if (earlier) return toConversation(earlier)
  await assistant.requireBuild(ctx)
  const { goal, tree_type, environment_tags = [] } = input
  const reply = await askModel(ctx, { goal, tree_type, environment_tags, draft: null, messages: [] }, goal)
  const storedConversation = await inTransaction(ctx.db, async (db) => {
    const conversation = await queries.insertConversation(db, ctx.workId, input, reply)
    if (reply.draft) await assistant.countBuild(db)
    return conversation
  })
  return toConversation(storedConversation)
}

export async function list({ db }: Pick<ReadContext, 'db'>, query: ConversationQuery & PageQuery) {
  return toPage(await queries.selectConversations(db, query), query, newestFirst)
}

/** Return a conversation that the caller reaches and that has not expired. */
export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<Conversation> {
  return toConversation(await find(db, id))
}

/** Add one turn. Store nothing if the model fails. The first draft counts as a build; refinements do not. */
export async function sendMessage(ctx: WriteContext, id: string, message: string): Promise<Conversation> {
  const before = await find(ctx.db, id)
  if (before.last_work_id === ctx.workId) return toConversation(before)
  if (before.turns >= maxTurns)
    throw limitReached(
      'turns',
      maxTurns,
      `A conversation has at most ${maxTurns} turns; commit it or start another`,
    )
  if (!before.draft) await assistant.requireBuild(ctx)
  const reply = await askModel(ctx, before, message)
  const after = await inTransaction(ctx.db, async (db) => {
    const conversation =
      (await queries.addTurn(db, before, { workId: ctx.workId, message, reply })) ??
      (await throwStaleConversation(db, id))
    if (reply.draft && !before.draft) await assistant.countBuild(db)
    return conversation
  })
  return toConversation(after)
}

/** Save the draft as a flow of the caller, and delete the conversation. */
export async function commit(ctx: WriteContext, id: string, { name }: ConversationCommit): Promise<Tree> {
  return inTransaction(ctx.db, async (db) => {
    const { draft } = (await queries.deleteConversation(db, id)) ?? throwNotFound('Flow-builder conversation')
    if (!draft) throw new Problem('no_draft', 'There is no draft yet')
    return trees.create({ ...ctx, db }, { ...draft, name: name ?? draft.name, status: 'draft' })
  })
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteConversation(db, id))) throw notFound('Flow-builder conversation')
}

type ConversationState = Pick<
  queries.ConversationRow,
  'goal' | 'tree_type' | 'environment_tags' | 'draft' | 'messages'
>

function askModel(
  ctx: WriteContext,
  { goal, tree_type, environment_tags, draft, messages }: ConversationState,
  message: string,
): Promise<queries.ModelReply> {
  const facts = { goal, tree_type, environment_tags, draft: draft && toModelFlow(draft) }
  const turns = [...messages, { role: 'user' as const, content: message }]
    .slice(-maxPromptMessages)
    .map(({ role, content }) => ({ role, text: content }))
  return askUntilValid<typeof flowDraft.answer, queries.ModelReply>(
    ctx,
    flowDraft,
    { facts, turns },
    ({ reply, flow }) => {
      if (!flow) return { value: { reply, draft: null } }
      const result = toFlowDraft(flow, {
        tree_type,
        base: draft,
        redaction: ctx.config.AI_REDACTION,
        targetStatus: 'draft',
      })
      return 'problems' in result ? result : { value: { reply, draft: result.value } }
    },
  )
}

function toConversation({
  turns: _,
  last_work_id: __,
  ...conversation
}: queries.ConversationRow): Conversation {
  const { draft } = conversation
  return { ...conversation, problems: draft ? validateFlow(draft, 'published').errors : [] }
}

async function find(db: ReadContext['db'], id: string): Promise<queries.ConversationRow> {
  return (await queries.selectConversation(db, id)) ?? throwNotFound('Flow-builder conversation')
}

/** Throw why a turn could not be added: 404 when the conversation is gone, otherwise 409. */
async function throwStaleConversation(db: ReadContext['db'], id: string): Promise<never> {
  await find(db, id)
  throw staleVersion('conversation')
}
