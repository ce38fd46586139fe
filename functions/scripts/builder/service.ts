import { ask, providerError } from '../../../lib/ai/ask.ts'
import { type ScriptTurn, scriptTurn } from '../../../lib/ai/prompts/scripts.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { sqlState } from '../../../lib/db/sqlstate.ts'
import { Existing, type Reader, type Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import { templateProblems } from '../../../lib/scripts/render.ts'
import { ParametersSchema } from '../../../lib/scripts/schema.ts'
import { faultsOfSchema } from '../../../lib/scripts/values.ts'
import * as scripts from '../scripts/service.ts'
import * as queries from './queries.ts'
import type { BuilderCreate, BuilderQuery, BuilderReply, BuilderSave, BuilderSession } from './schemas.ts'

const most = 5
// As many of the newest go to the model.
const messagesShown = 20

/** A standalone session takes one of five places; one beside an AI session is there once for its user. */
export async function create(ctx: Writer, given: BuilderCreate): Promise<BuilderSession | Existing<BuilderSession>> {
  if (given.origin === 'standalone') return get(ctx, await takePlace(ctx, given))
  const inline = await queries.insertInline(ctx.db, given)
  if (!inline) throw new Problem('not_found', 'AI session not found')
  const session = await get(ctx, inline.id)
  return inline.made ? session : new Existing(session)
}

export async function list({ db }: Reader, { origin, ...page }: BuilderQuery & PageQuery) {
  return toPage(await queries.selectSessions(db, origin, page), page.limit)
}

/** Seen by its user alone. */
export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<BuilderSession> {
  return (await queries.selectSession(db, id)) ?? missing()
}

/** One turn. What the user says is kept whatever becomes of the answer. */
export async function say(ctx: Writer, id: string, message: string): Promise<BuilderReply> {
  const session = await get(ctx, id)
  if (!(await queries.insertUserMessage(ctx.db, id, message))) missing()
  const { reply, script } = await answer(ctx, session, message)
  const said = (await queries.insertReply(ctx.db, id, reply, script)) ?? missing()
  return { message: said, ...(script ? { script: script.body, parameters_schema: script.parameters } : {}) }
}

export async function saveToLibrary(ctx: Writer, id: string, { name, category_id, description, ...own }: BuilderSave) {
  const session = await get(ctx, id)
  const script_body = own.script_body ?? session.script_body
  if (!script_body) throw invalid([{ loc: ['body', 'script_body'], msg: 'The session has no script yet', type: 'missing' }])
  const parameters_schema = own.parameters_schema ?? session.parameters_schema
  return scripts.create(ctx, {
    ...{ name, language: session.language, script_body, parameters_schema },
    ...(description === undefined ? {} : { description }),
    ...(category_id === undefined ? {} : { category_id }),
  })
}

export async function remove({ db }: Writer, id: string): Promise<void> {
  if (!(await queries.deleteSession(db, id))) missing()
}

/** Who takes a place that another took at the same moment tries the next. */
async function takePlace({ db }: Writer, given: BuilderCreate): Promise<string> {
  for (let tries = 0; tries <= most * 2; tries++) {
    const id = await queries.insertStandalone(db, given).catch((error: unknown) => {
      if (sqlState(error) === '23505') return null
      throw error
    })
    if (id === undefined) break
    if (id !== null) return id
  }
  throw new Problem('conflict', `At most ${most} sessions may be open; delete one first`, { code: 'session_limit_reached' })
}

interface Answer {
  reply: string
  script: { body: string; parameters: ParametersSchema } | null
}

/** A script that could not be saved as it is goes back once, with what is wrong. */
async function answer(ctx: Writer, session: BuilderSession, message: string): Promise<Answer> {
  const { language, script_body, parameters_schema } = session
  const turns = [...session.messages, { role: 'user' as const, content: message }]
    .slice(-messagesShown)
    .map(({ role, content }) => ({ role, text: content }))
  let problems: string[] = []
  for (let n = 0; n < 2; n++) {
    const facts = { language, script: script_body, parameters: parameters_schema, problems }
    const { reply, script } = await ask(ctx, scriptTurn, { facts, turns })
    if (!script) return { reply, script }
    const made = { body: script.body, parameters: script.parameters.map(withoutNulls) }
    problems = problemsOf(language, made)
    if (problems.length === 0) return { reply, script: { ...made, parameters: ParametersSchema.parse(made.parameters) } }
  }
  throw providerError(new Error('The script was not usable'))
}

function withoutNulls({ choices, ...parameter }: NonNullable<ScriptTurn['script']>['parameters'][number]) {
  return { ...parameter, ...(choices ? { choices } : {}) }
}

function problemsOf(language: BuilderSession['language'], { body, parameters }: { body: string; parameters: unknown }): string[] {
  const parsed = ParametersSchema.safeParse(parameters)
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `parameters.${path.join('.')}: ${message}`)
  const faults = faultsOfSchema(parsed.data).map(({ path, message }) => `parameters.${path.join('.')}: ${message}`)
  const template = { language, script_body: body, parameters_schema: parsed.data }
  return [...faults, ...templateProblems(template).map(({ line, message }) => `line ${line}: ${message}`)]
}

function missing(): never {
  throw new Problem('not_found', 'Script-builder session not found')
}
