import type { PageQuery } from '#db/page.ts'
import { type AiSessionRow, workingStates } from '#db/rows/ai-session.ts'
import { findActiveBranch, selectAiSession } from '#db/rows/ai-session-queries.ts'
import { getSqlState } from '#db/sqlstate.ts'
import { uuidv7 } from '#db/uuid.ts'
import { createTurnLookups } from '#functions/ai/lookups/service.ts'
import type { AiSessionCreate, AiSessionDetail } from '#functions/ai/sessions/schemas.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import { createEventStream } from '#http/event-stream.ts'
import type { Content, ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, notFound, Problem } from '#problem.ts'
import { clip } from '#rules/text/clip.ts'
import type { Turn } from '#vendors/ai/ai.ts'
import { type AnswerListener, toAnswerFailure } from '#vendors/ai/ask.ts'
import { askForNewFix } from '#vendors/ai/ask-for-new-fix.ts'
import { requireAiBudget } from '#vendors/ai/budget.ts'
import { type CaseMaterial, toCaseFacts, toSearchText } from '#vendors/ai/facts.ts'
import {
  type ChatTurn,
  chatTurn,
  type FixIdea,
  type GuidedAnswer,
  guidedStep,
} from '#vendors/ai/prompts/diagnosis.ts'
import { isRepeatedFix, listTriedFixes } from '#vendors/ai/repeated-fixes.ts'
import { toCitations } from '#vendors/ai/sources.ts'
import { describeFailure, isAnswer } from '#vendors/ai/unanswered.ts'
import * as queries from './queries.ts'
import type { ChatMessage, ChatReply, GuidedReply, GuidedResponse, ReplyEvents } from './schemas.ts'

// The newest messages that a prompt contains. Facts, evidence and fixes carry the content of older ones.
const maxPromptMessages = 30

/** Create a session, and the first step of a guided one. The session stays when the model fails. */
export async function createSession(ctx: WriteContext, input: AiSessionCreate): Promise<AiSessionDetail> {
  if (input.session_type === 'guided') await requireAiBudget(ctx)
  const earlier = ctx.isRepeat ? await selectAiSession.first(ctx.db, ctx.workId) : undefined
  const session = earlier ?? (await aiSessions.create(ctx, input))
  if (input.session_type === 'chat' || session.steps.length > 0) return aiSessions.toDetail(session)
  await addNextStep(ctx, session).catch((error: unknown) => {
    if (
      !(error instanceof Problem) ||
      (error.kind !== 'ai_provider_error' && error.kind !== 'ai_budget_exhausted')
    )
      throw error
    const { resets_at } = error.body
    const facts = { session_id: session.id, resets_at: resets_at || undefined }
    throw new Problem(error.kind, error.message, { facts, headers: error.headers, cause: error })
  })
  return aiSessions.get(ctx, session.id)
}

/** Store the user's message, then the model's reply. The message stays when the model fails. */
export async function sendMessage(
  ctx: WriteContext,
  id: string,
  { message, upload_ids = [] }: ChatMessage,
): Promise<ChatReply | Content> {
  const wholeSession = await aiSessions.findOwn(ctx.db, id, workingStates)
  const { session, storedMessage, reply } = splitAtMessage(wholeSession, ctx.workId, { message, upload_ids })
  if (reply) return { message: toReplyMessage(reply) }
  const images = await loadImages(ctx, upload_ids)
  await requireAiBudget(ctx)
  const newMessage = { id: ctx.workId, content: message, uploadIds: upload_ids }
  const branchId = (storedMessage ?? (await queries.insertUserMessage.first(ctx.db, id, newMessage)))
    ?.branch_id
  if (!branchId) throw aiSessions.createChangeProblem(await aiSessions.find(ctx.db, id), workingStates)
  const input = await collectTurnInput(ctx, session, message)
  const turns = [...toTurns(session), { role: 'user' as const, text: message, images }]
  const isRepetition = (answer: ChatTurn) =>
    isRepeatedFix(
      answer.fix,
      answer.reply,
      listTriedFixes(session, answer.outcome?.outcome === 'applied_failed'),
    )
  // The reply to a message that an earlier request stored has the id of this work, by which a repetition
  // finds it.
  const replyId = storedMessage && storedMessage.id !== ctx.workId ? ctx.workId : uuidv7()
  const askModel = async (listener?: AnswerListener) => {
    const question = { facts: input.facts, turns }
    const lookups = await createTurnLookups(ctx, session, question)
    const outcome = await askForNewFix(ctx, chatTurn, question, isRepetition, listener, lookups).catch(
      toAnswerFailure,
    )
    const lookupRows = lookups.listLookups()
    if ('failure' in outcome) {
      listener?.onRestart()
      return storeReply({
        ...createUnansweredText(outcome, input),
        lookups: lookupRows,
        changes: noChanges,
      })
    }
    const answer = outcome.isRepeated ? { ...outcome.answer, fix: null } : outcome.answer
    const citations = toCitations(answer.citations, input.sources)
    return storeReply({
      text: answer.reply,
      citations,
      lookups: lookupRows,
      failure: null,
      changes: toTurnChanges(answer, input),
    })
  }
  const storeReply = async ({
    text: content,
    changes,
    ...rest
  }: TurnText & Pick<queries.NewReply, 'lookups'> & { changes: queries.TurnChanges }) => {
    const reply = { id: replyId, content, sources: input.sources.numbered, ...rest }
    const { row, applied } = await queries
      .storeReply(ctx.db, id, branchId, reply, changes)
      .catch(throwIfDeleted)
    return removeNulls({ message: toReplyMessage(row), ...applied }) as ChatReply
  }
  if (!ctx.wantsEvents) return askModel()
  return createEventStream<ReplyEvents>(ctx, async (send) => {
    const listener: AnswerListener = {
      field: 'reply',
      onText: (text) => send('delta', { text }),
      onRestart: () => send('restart', {}),
    }
    const reply = await askModel(listener)
    send('message', reply)
    return reply
  })
}

/**
 * Split a session at the message that an earlier call of the same task has stored, or at its last one, if
 * that has the same text and no reply: after a failure people send a message again.
 */
function splitAtMessage(
  session: AiSessionRow,
  workId: string,
  { message, upload_ids }: Required<ChatMessage>,
) {
  const { messages } = session
  const index = messages.findIndex(({ id }) => id === workId)
  if (messages[index]?.role === 'assistant')
    return { session, storedMessage: undefined, reply: messages[index] }
  const last = messages.at(-1)
  const isSame =
    last?.role === 'user' && last.content === message && String(last.upload_ids) === String(upload_ids)
  const at = index < 0 && isSame ? messages.length - 1 : index
  if (at < 0) return { session, storedMessage: undefined, reply: undefined }
  const reply = messages.slice(at + 1).find(({ role }) => role === 'assistant')
  return { session: { ...session, messages: messages.slice(0, at) }, storedMessage: messages[at], reply }
}

function toReplyMessage({
  id,
  content,
  citations,
  sources,
  flow_offer,
  lookups,
  failure,
  created_at,
}: Omit<AiSessionRow['messages'][number], 'role' | 'branch_id' | 'upload_ids'>) {
  return {
    id,
    role: 'assistant' as const,
    content,
    citations,
    sources,
    flow_offer,
    lookups,
    failure,
    created_at,
  }
}

/** Store the response to the current step of a guided session, and return the next step. */
export async function respondToStep(
  ctx: WriteContext,
  id: string,
  { response, step_id }: GuidedResponse,
): Promise<GuidedReply> {
  const session = await aiSessions.findOwn(ctx.db, id, workingStates)
  if (session.session_type !== 'guided') throw new Problem('wrong_session_type', 'This is a chat session')
  const currentStep = session.steps.find((step) => step.response === null)
  // The first call has stored the response, and maybe the next step.
  const stored = session.steps.find((step) => step.step_id === ctx.workId)
  if (stored) return { step: stored }
  if (ctx.isRepeat && (await queries.selectAnsweredStep(ctx.db, ctx.workId))) return addNextStep(ctx, session)
  if (step_id && step_id !== currentStep?.step_id) throw createStepProblem(currentStep)
  if (!currentStep && response !== undefined) throw createStepProblem(currentStep)
  await requireAiBudget(ctx)
  if (currentStep) {
    if (response === undefined)
      throw invalidField(['body', 'response'], 'is required by the current step', 'missing')
    if (
      (await queries.answerStep.run(ctx.db, id, currentStep.step_id, { response, workId: ctx.workId })) === 0
    )
      await throwStepNotCurrent(ctx, id)
    currentStep.response = response
  }
  return addNextStep(ctx, session)
}

export async function listMessages(
  { db }: ReadContext,
  id: string,
  { branch_id, ...page }: { branch_id?: string | undefined } & PageQuery,
) {
  const activeBranchId = await findActiveBranch(db, id)
  const branchId = branch_id ?? activeBranchId
  if (branch_id && !(await queries.selectBranch(db, id, branch_id))) throw notFound('Branch')
  return queries.selectMessages(db, id, branchId, page)
}

/**
 * Ask the model for the next step and store it. If the model only repeats fixes that did not help, the step
 * is to escalate. If it gives no answer, the step offers the sources alone, and its response asks again.
 */
async function addNextStep(ctx: WriteContext, session: AiSessionRow): Promise<GuidedReply> {
  const input = await collectTurnInput(ctx, session)
  const triedFixes = listTriedFixes(session)
  const isRepetition = ({ kind, fix, text }: GuidedAnswer) =>
    kind === 'fix' && isRepeatedFix(fix, text, triedFixes)
  const question = { facts: input.facts, turns: [] }
  const lookups = await createTurnLookups(ctx, session, question)
  const outcome = await askForNewFix(ctx, guidedStep, question, isRepetition, undefined, lookups).catch(
    toAnswerFailure,
  )
  const { newStep, changes } =
    'failure' in outcome ? createUnansweredStep(outcome, input) : toStep(outcome, input)
  const { row: step, applied } = await queries
    .storeStep(
      ctx.db,
      session.id,
      {
        ...newStep,
        sources: input.sources.numbered,
        lookups: lookups.listLookups(),
        id: ctx.workId,
        seq: session.steps.length + 1,
      },
      changes,
    )
    .catch(async (error: unknown) => {
      if (getSqlState(error) !== '23505') return throwIfDeleted(error)
      return throwStepNotCurrent(ctx, session.id)
    })
  const { triage_update, suggested_fix } = applied
  return removeNulls({ step, triage_update, suggested_fix }) as GuidedReply
}

type StepText = Omit<queries.NewStep, 'lookups' | 'sources'>

interface PlannedStep {
  newStep: StepText
  changes: queries.TurnChanges
}

function toStep(
  { answer, isRepeated }: { answer: GuidedAnswer; isRepeated: boolean },
  input: TurnInput,
): PlannedStep {
  const { kind, text, options, rationale, findings, fix } = answer
  const citations = toCitations(answer.citations, input.sources)
  const newStep = isRepeated
    ? createEscalationStep(fix?.title ?? text)
    : { kind, text, options, rationale, citations, failure: null }
  return { newStep, changes: toTurnChanges({ findings, fix: newStep.kind === 'fix' ? fix : null }, input) }
}

function createUnansweredStep(unanswered: Unanswered, input: TurnInput): PlannedStep {
  return {
    newStep: { kind: 'action', options: [], rationale: null, ...createUnansweredText(unanswered, input) },
    changes: noChanges,
  }
}

type Unanswered = ReturnType<typeof toAnswerFailure>
type TurnText = Pick<queries.NewStep, 'text' | 'citations' | 'failure'>

function createUnansweredText(unanswered: Unanswered, { sources: { numbered } }: TurnInput): TurnText {
  const text = describeFailure(unanswered, numbered)
  return { text, citations: numbered, failure: unanswered.failure }
}

/** Create the step that ends a guided session in which the model has no other fix. */
function createEscalationStep(repeatedTitle: string): StepText {
  return {
    kind: 'action',
    text: 'Escalate this session to a colleague. Every fix that the model still suggests was tried already.',
    options: [],
    rationale: clip(`The model suggested a fix again that did not help: ${repeatedTitle}`, 1000),
    citations: [],
    failure: null,
  }
}

interface TurnInput extends CaseMaterial {
  facts: ReturnType<typeof toCaseFacts>
}

async function collectTurnInput(ctx: WriteContext, session: AiSessionRow, latest = ''): Promise<TurnInput> {
  const ticket = await aiSessions.findTicketFacts(ctx, session.psa_ticket_id)
  const material = await aiSessions.findMaterial(
    ctx,
    toSearchText(session, ticket, latest),
    session.tree_id,
    session.client_name ?? ticket?.company ?? null,
  )
  return { facts: toCaseFacts(session, ticket, material), ...material }
}

function toTurns({ messages }: AiSessionRow): Turn[] {
  return messages
    .filter(isAnswer)
    .slice(-maxPromptMessages)
    .map(({ role, content, upload_ids }) => ({
      role,
      text:
        upload_ids.length > 0 ? `${content}\n\n(${upload_ids.length} pictures were shown here.)` : content,
    }))
}

const noChanges: queries.TurnChanges = {
  findings: {
    client_name: null,
    asset_name: null,
    issue_category: null,
    triage_hypothesis: null,
    evidence: [],
    facts: [],
  },
  questions: [],
  actions: [],
  fix: null,
  outcome: null,
}

type ModelTurn = Pick<ChatTurn, 'findings' | 'fix'> &
  Partial<Pick<ChatTurn, 'questions' | 'actions' | 'outcome'>>

/** Convert the model's answer to changes. Ignore a template number that is not in the offered list. */
function toTurnChanges(
  { findings, questions = [], actions = [], fix, outcome = null }: ModelTurn,
  { templates }: TurnInput,
): queries.TurnChanges {
  return { findings, questions, actions, fix: fix && toNewFix(fix, templates), outcome }
}

function toNewFix(
  { title, description, template, script }: FixIdea,
  templates: readonly { id: string }[],
): queries.NewFix {
  const templateId = (template && templates[template - 1]?.id) || null
  // A person has reviewed the template, but not the script that the model drafted besides.
  const draftedScript = templateId ? null : script
  return {
    id: uuidv7(),
    title,
    description,
    kind: templateId ? 'template' : draftedScript ? 'script' : 'manual',
    script_template_id: templateId,
    ai_drafted_script: draftedScript?.body ?? null,
    ai_drafted_language: draftedScript?.language ?? null,
  }
}

/** Return a copy without the fields that are null. */
function removeNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

/** Load the images of a message, in order. Throw 422 for an unknown upload. */
async function loadImages(ctx: WriteContext, ids: readonly string[]): Promise<Uint8Array[]> {
  if (ids.length === 0) return []
  const rows = await queries.selectUploads.all(ctx.db, ids)
  return Promise.all(
    ids.map(async (id, index) => {
      const key = rows.find((row) => row.id === id)?.object_key
      const jpeg = key && (await ctx.uploads.get(key).catch(throwUnavailable))
      if (!jpeg)
        throw invalidField(
          ['body', 'upload_ids', index],
          'must be the id of an existing upload',
          'unknown_upload',
        )
      return jpeg
    }),
  )
}

function throwUnavailable(cause: unknown): never {
  throw new Problem('unavailable', undefined, { cause, headers: { 'retry-after': '5' } })
}

/** Throw 409 if the session of a message or step no longer exists. Throw any other error unchanged. */
function throwIfDeleted(error: unknown): never {
  throw getSqlState(error) === '23503'
    ? new Problem('stale_version', 'Someone else deleted this session', { cause: error })
    : error
}

/**
 * Throw why a step could not be answered: the session is no longer active, or the step is no longer current.
 */
async function throwStepNotCurrent(ctx: WriteContext, id: string): Promise<never> {
  const session = await aiSessions.findOwn(ctx.db, id, workingStates)
  throw createStepProblem(session.steps.find((step) => step.response === null))
}

function createStepProblem(current: AiSessionRow['steps'][number] | undefined): Problem {
  const detail = current
    ? 'Another step is the current one'
    : 'No step is open; send a request without a response to get the next one'
  return new Problem('step_not_current', detail, { facts: { current_step: current ?? null } })
}
