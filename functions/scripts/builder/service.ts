import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { getSqlState } from '#db/sqlstate.ts'
import * as scripts from '#functions/scripts/scripts/service.ts'
import { requireGranted } from '#http/granted-scopes.ts'
import { Existing, type ReadContext, type WriteContext } from '#http/operation.ts'
import { invalidField, notFound, Problem, throwNotFound } from '#problem.ts'
import { validateTemplate } from '#rules/scripts/render.ts'
import { ParametersSchema } from '#rules/scripts/schema.ts'
import { validateParameters } from '#rules/scripts/validate.ts'
import { ask, toProviderProblem } from '#vendors/ai/ask.ts'
import { requireAiBudget } from '#vendors/ai/budget.ts'
import { type ScriptTurn, scriptTurn } from '#vendors/ai/prompts/scripts.ts'
import * as queries from './queries.ts'
import type { BuilderCreate, BuilderQuery, BuilderReply, BuilderSave, BuilderSession } from './schemas.ts'

const maxSessions = 5
// How many of the newest messages are sent to the model.
const maxMessages = 20

/**
 * Start a script-builder session. A user can have at most five standalone sessions. An AI session can have
 * one inline script-builder session; return it if it already exists.
 */
export async function create(
  ctx: WriteContext,
  input: BuilderCreate,
): Promise<BuilderSession | Existing<BuilderSession>> {
  if (input.origin === 'standalone') return get(ctx, await createStandalone(ctx, input))
  await requireGranted(ctx, ['ai:read'])
  const { id, isNew } = (await queries.insertInline(ctx.db, input)) ?? throwNotFound('AI session')
  const session = await get(ctx, id)
  return isNew ? session : new Existing(session)
}

export async function list({ db }: ReadContext, query: BuilderQuery & PageQuery) {
  return toPage(await queries.selectSessions(db, query), query, newestFirst)
}

/** Return a session that the caller reaches. */
export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<BuilderSession> {
  return (await queries.selectSession(db, id)) ?? throwNotFound('Script-builder session')
}

/**
 * Store the user's message, then request and store the model's reply. The message is stored even if the model
 * fails.
 */
export async function sendMessage(ctx: WriteContext, id: string, message: string): Promise<BuilderReply> {
  const wholeSession = await get(ctx, id)
  const at = wholeSession.messages.findIndex((each) => each.id === ctx.workId)
  const stored = wholeSession.messages[at + 1]
  // The session's script, because the reply may have written it.
  if (at >= 0 && stored) return { message: stored, ...toScript(wholeSession) }
  const session = at < 0 ? wholeSession : { ...wholeSession, messages: wholeSession.messages.slice(0, at) }
  await requireAiBudget(ctx)
  if (at < 0 && !(await queries.insertUserMessage(ctx.db, id, { id: ctx.workId, content: message })))
    throw notFound('Script-builder session')
  const { reply, script } = await requestReply(ctx, session, message)
  const replyMessage =
    (await queries.insertReply(ctx.db, id, reply, script)) ?? throwNotFound('Script-builder session')
  return {
    message: replyMessage,
    ...(script ? { script: script.body, parameters_schema: script.parameters } : {}),
  }
}

function toScript({
  script_body,
  parameters_schema,
}: BuilderSession): Pick<BuilderReply, 'script' | 'parameters_schema'> {
  return script_body === null ? {} : { script: script_body, parameters_schema }
}

export async function saveToLibrary(
  ctx: WriteContext,
  id: string,
  { name, category_id, description, ...changes }: BuilderSave,
) {
  const session = await get(ctx, id)
  const script_body = changes.script_body ?? session.script_body
  if (!script_body)
    throw invalidField(
      ['body', 'script_body'],
      'is required because the session has no script yet',
      'missing',
    )
  const parameters_schema = changes.parameters_schema ?? session.parameters_schema
  return scripts.create(ctx, {
    name,
    language: session.language,
    script_body,
    parameters_schema,
    ...(description === undefined ? {} : { description }),
    ...(category_id === undefined ? {} : { category_id }),
  })
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteSession(db, id))) throw notFound('Script-builder session')
}

/**
 * Insert a standalone session. Retry when a concurrent request takes the same slot. Throw 409 when no slot is
 * free.
 */
async function createStandalone({ db }: WriteContext, input: BuilderCreate): Promise<string> {
  for (let attempts = 0; attempts <= maxSessions * 2; attempts++) {
    const inserted = await queries.insertStandalone.first(db, input).catch((error: unknown) => {
      if (getSqlState(error) === '23505') return null
      throw error
    })
    if (inserted === undefined) break
    if (inserted) return inserted.id
  }
  throw new Problem(
    'session_limit_reached',
    `You can have at most ${maxSessions} standalone sessions; delete one first`,
  )
}

interface ModelReply {
  reply: string
  script: { body: string; parameters: ParametersSchema } | null
}

/** Ask the model for a reply. If its script is invalid, ask once more and include the problems. */
async function requestReply(
  ctx: WriteContext,
  session: BuilderSession,
  message: string,
): Promise<ModelReply> {
  const { language, script_body, parameters_schema } = session
  const turns = [...session.messages, { role: 'user' as const, content: message }]
    .slice(-maxMessages)
    .map(({ role, content }) => ({ role, text: content }))
  let problems: string[] = []
  for (let attempts = 0; attempts < 2; attempts++) {
    const facts = { language, script: script_body, parameters: parameters_schema, problems }
    const { reply, script } = await ask(ctx, scriptTurn, { facts, turns })
    if (!script) return { reply, script }
    const draft = { body: script.body, parameters: script.parameters.map(removeNullChoices) }
    problems = findScriptProblems(language, draft)
    if (problems.length === 0)
      return { reply, script: { ...draft, parameters: ParametersSchema.parse(draft.parameters) } }
  }
  throw toProviderProblem(new Error('The script was not usable'))
}

function removeNullChoices({
  choices,
  ...parameter
}: NonNullable<ScriptTurn['script']>['parameters'][number]) {
  return { ...parameter, ...(choices ? { choices } : {}) }
}

function findScriptProblems(
  language: BuilderSession['language'],
  { body, parameters }: { body: string; parameters: unknown },
): string[] {
  const parsed = ParametersSchema.safeParse(parameters)
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `parameters.${path.join('.')}: ${message}`)
  const parameterProblems = validateParameters(parsed.data).map(
    ({ path, message }) => `parameters.${path.join('.')}: ${message}`,
  )
  const template = { language, script_body: body, parameters_schema: parsed.data }
  return [
    ...parameterProblems,
    ...validateTemplate(template).map(({ line, message }) => `line ${line}: ${message}`),
  ]
}
