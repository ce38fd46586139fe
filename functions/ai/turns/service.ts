import type { Turn } from '../../../lib/ai/ai.ts'
import { ask, type Hearing } from '../../../lib/ai/ask.ts'
import { caseFacts, wordsOfCase } from '../../../lib/ai/facts.ts'
import { type ChatTurn, chatTurn, type FixIdea, guidedStep } from '../../../lib/ai/prompts/diagnosis.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { type AiSessionRow, workingStates } from '../../../lib/db/rows/ai-session.ts'
import { sqlState } from '../../../lib/db/sqlstate.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import { eventStream } from '../../../lib/http/event-stream.ts'
import type { Content, Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import type { AiSessionCreate, AiSessionDetail } from '../sessions/schemas.ts'
import * as aiSessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { ChatMessage, ChatReply, GuidedReply, Respond } from './schemas.ts'

// How far back the model is shown the conversation; what is older is in facts, evidence and fixes.
const turnsShown = 30

/** Begins a session; a guided one is given its first step. When the model cannot be asked, the session is there all the same. */
export async function create(ctx: Writer, given: AiSessionCreate): Promise<AiSessionDetail> {
  const session = await aiSessions.create(ctx, given)
  if (given.session_type === 'chat') return aiSessions.shown(session)
  await nextStep(ctx, session).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.kind !== 'ai_provider_error') throw error
    throw new Problem('ai_provider_error', error.message, { facts: { session_id: session.id }, cause: error })
  })
  return aiSessions.get(ctx, session.id)
}

/** One turn of a conversation. What the user says is kept whatever becomes of the model's answer. */
export async function chat(ctx: Writer, id: string, { message, upload_ids = [] }: ChatMessage): Promise<ChatReply | Content> {
  const session = await aiSessions.findOwn(ctx.db, id, workingStates)
  const images = await pictures(ctx, upload_ids)
  const branchId = await queries.insertUserMessage(ctx.db, id, message, upload_ids)
  if (!branchId) throw aiSessions.refusal(await aiSessions.find(ctx.db, id), workingStates)
  const turn = await prepare(ctx, session, message)
  const turns = [...history(session), { role: 'user' as const, text: message, images }]
  const finish = async (answer: ChatTurn) => {
    const { said, effected } = await queries.storeReply(ctx.db, id, branchId, answer.reply, effectsOf(answer, turn))
    if (!said) throw new Problem('conflict', 'The session was deleted meanwhile')
    const { id: messageId, content, created_at } = said
    return reply({ message: { id: messageId, role: 'assistant' as const, content, created_at }, ...effected }) as ChatReply
  }
  if (!ctx.wantsEvents) return finish(await ask(ctx, chatTurn, { facts: turn.facts, turns }))
  return eventStream(ctx, async (send) => {
    const hearing: Hearing = {
      field: 'reply',
      onText: (text) => send('delta', { text }),
      onRestart: () => send('restart', {}),
    }
    send('message', await finish(await ask(ctx, chatTurn, { facts: turn.facts, turns }, hearing)))
  })
}

/** Answers the current step of a guided session, and gives the next. */
export async function respond(ctx: Writer, id: string, { response, step_id }: Respond): Promise<GuidedReply> {
  const session = await aiSessions.findOwn(ctx.db, id, workingStates)
  if (session.session_type !== 'guided') throw new Problem('conflict', 'This is a chat session', { code: 'not_guided' })
  const current = session.steps.find((step) => step.response === null)
  if (step_id && step_id !== current?.step_id) throw notCurrent(current)
  if (!current && response !== undefined) throw notCurrent(current)
  if (current) {
    if (response === undefined)
      throw invalid([{ loc: ['body', 'response'], msg: 'The current step waits for its answer', type: 'missing' }])
    if (!(await queries.answerStep(ctx.db, id, current.step_id, response))) await answeredMeanwhile(ctx, id)
    current.response = response
  }
  return nextStep(ctx, session)
}

export async function messages({ db }: Reader, id: string, { branch_id, ...page }: { branch_id?: string | undefined } & PageQuery) {
  const session = await aiSessions.find(db, id)
  const branch = branch_id ?? session.active_branch_id
  if (branch_id && !(await queries.hasBranch(db, id, branch_id))) throw new Problem('not_found', 'Branch not found')
  return toPage(await queries.selectMessages(db, id, branch, page), page.limit)
}

async function nextStep(ctx: Writer, session: AiSessionRow): Promise<GuidedReply> {
  const turn = await prepare(ctx, session)
  const { kind, text, options, rationale, findings, fix } = await ask(ctx, guidedStep, { facts: turn.facts })
  const effects = effectsOf({ findings, fix: kind === 'fix' ? fix : null }, turn)
  const { said, effected } = await queries
    .storeStep(ctx.db, session.id, session.steps.length, { kind, text, options, rationale }, effects)
    .catch(async (error: unknown) => {
      if (sqlState(error) !== '23505') throw error
      return answeredMeanwhile(ctx, session.id)
    })
  if (!said) throw new Problem('conflict', 'The session was deleted meanwhile')
  const { triage_update, suggested_fix } = effected
  return reply({ step: said, triage_update, suggested_fix }) as GuidedReply
}

interface Prepared {
  facts: ReturnType<typeof caseFacts>
  templates: { id: string }[]
}

async function prepare(ctx: Writer, session: AiSessionRow, latest = ''): Promise<Prepared> {
  const ticket = await aiSessions.ticketFacts(ctx, session.psa_ticket_id)
  const candidates = await aiSessions.candidates(ctx, wordsOfCase(session, ticket, latest), session.tree_id)
  return { facts: caseFacts(session, ticket, candidates), templates: candidates.templates }
}

function history({ messages: said }: AiSessionRow): Turn[] {
  return said.slice(-turnsShown).map(({ role, content, upload_ids }) => ({
    role,
    text: upload_ids.length > 0 ? `${content}\n\n(${upload_ids.length} pictures were shown here.)` : content,
  }))
}

type Answered = Pick<ChatTurn, 'findings' | 'fix'> & Partial<Pick<ChatTurn, 'questions' | 'actions' | 'outcome'>>

/** What an answer changes. Where it points at a template by its number, the number is looked up; one that was not offered is none. */
function effectsOf({ findings, questions = [], actions = [], fix, outcome = null }: Answered, { templates }: Prepared): queries.Effects {
  return { findings, questions, actions, fix: fix && newFix(fix, templates), outcome }
}

function newFix({ title, description, template, script }: FixIdea, templates: readonly { id: string }[]): queries.NewFix {
  const templateId = (template && templates[template - 1]?.id) || null
  // A template has been read by somebody; what the model wrote beside it has not.
  const drafted = templateId ? null : script
  return {
    id: uuidv7(),
    title,
    description,
    kind: templateId ? 'template' : drafted ? 'script' : 'manual',
    script_template_id: templateId,
    ai_drafted_script: drafted?.body ?? null,
    ai_drafted_language: drafted?.language ?? null,
  }
}

/** Without what did not happen. */
function reply(found: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null))
}

/** The pictures of a message, in its order; 422 for one that is not there. */
async function pictures(ctx: Writer, ids: readonly string[]): Promise<Uint8Array[]> {
  if (ids.length === 0) return []
  const rows = await queries.selectUploads(ctx.db, ids)
  return Promise.all(
    ids.map(async (id, index) => {
      const key = rows.find((row) => row.id === id)?.object_key
      const jpeg = key && (await ctx.uploads.get(key))
      if (!jpeg) throw invalid([{ loc: ['body', 'upload_ids', index], msg: 'No such upload', type: 'unknown_upload' }])
      return new Uint8Array(await new Response(jpeg).arrayBuffer())
    }),
  )
}

async function answeredMeanwhile(ctx: Writer, id: string): Promise<never> {
  const session = await aiSessions.findOwn(ctx.db, id, workingStates)
  throw notCurrent(session.steps.find((step) => step.response === null))
}

function notCurrent(current: AiSessionRow['steps'][number] | undefined): Problem {
  const detail = current ? 'Another step is the current one' : 'No step waits for an answer; ask for the next without a response'
  return new Problem('conflict', detail, { code: 'not_current_step', facts: { current_step: current ?? null } })
}
