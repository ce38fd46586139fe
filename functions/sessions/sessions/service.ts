import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { retryOnConflict } from '../../../lib/db/retry.ts'
import { changeSession, selectSession } from '../../../lib/db/rows/sessions.ts'
import { getViolatedConstraint } from '../../../lib/db/sqlstate.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import { applyDefaults, createAnswerValidator } from '../../../lib/flows/intake-answers.ts'
import type { SessionRow } from '../../../lib/flows/session-row.ts'
import {
  computeProgress,
  countRemainingAnswers,
  findAnswerableStep,
  getFirstStepId,
  renderStep,
} from '../../../lib/flows/step-navigation.ts'
import type { IntakeField, TreeStructure } from '../../../lib/flows/structure.ts'
import type { ReadContext, WriteContext } from '../../../lib/http/operation.ts'
import { type FieldError, invalidField, invalidRequest, notFound, Problem, throwNotFound } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { Session, SessionListItem, SessionPrepare, SessionQuery, SessionStart, SessionUpdate, Variables } from './schemas.ts'

export async function list({ db }: ReadContext, query: SessionQuery & PageQuery) {
  return toPage((await queries.selectSessions.all(db, query)).map(toListItem), query.limit)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<Session> {
  return toSession(await find(db, id))
}

/** Start a session of a flow. Every required field of the intake form must be answered. */
export async function start({ db }: WriteContext, { tree_id, variables = {}, ...details }: SessionStart): Promise<Session> {
  return createSession(db, tree_id, (flow) => {
    const answers = applyDefaults(flow.intake_form, variables)
    requireValidAnswers(flow.intake_form, answers, true)
    const current_step_id = getFirstStepId(flow.tree_structure)
    return [
      buildNewSession(details, answers),
      { current_step_id, remaining: countRemainingAnswers(flow.tree_structure, current_step_id), batch_id: null },
    ]
  })
}

/** Store a session to start later. Missing answers are required when it starts. */
export async function prepare({ db }: WriteContext, { tree_id, variables = {}, ...details }: SessionPrepare): Promise<Session> {
  return createSession(db, tree_id, (flow) => {
    requireValidAnswers(flow.intake_form, variables, false)
    return [buildNewSession(details, variables), buildPreparedState(flow.tree_structure, null)]
  })
}

/** Insert one prepared session per target, all or none. Return false if the flow was changed. */
export async function prepareMany(
  { db }: Pick<WriteContext, 'db'>,
  flow: RunnableFlow,
  newSessions: readonly queries.NewSession[],
  batchId: string,
) {
  const initialState = buildPreparedState(flow.tree_structure, batchId)
  return (await queries.insertSessions.run(db, flow, newSessions, initialState).catch(throwVariablesTooLarge)) > 0
}

export async function startPrepared({ db }: WriteContext, id: string, input: Variables = {}): Promise<Session> {
  return retryOnConflict('session', async () => {
    const session = await requireEditable(db, id)
    if (session.state !== 'prepared') throw new Problem('wrong_state', 'Only a prepared session can be started')
    const variables = applyDefaults(session.intake_form, { ...session.variables, ...input })
    requireValidAnswers(session.intake_form, variables, true)
    const changes = { storedVariables: session.variables, variables, firstStepId: getFirstStepId(session.tree_structure) }
    const started = await changeSession(db, id, queries.startSession.query(id, changes)).catch(throwVariablesTooLarge)
    return started.isChanged && started.session ? toSession(started.session) : undefined
  })
}

/** Set variables, and remove those that are null. Return all variables. Throw 422 if a session in progress would lose a required answer. */
export async function updateVariables({ db }: WriteContext, id: string, changes: Variables): Promise<Variables> {
  const values = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))
  const removedKeys = Object.keys(changes).filter((key) => changes[key] === null)
  return retryOnConflict('session', async () => {
    const current = await requireEditable(db, id)
    const { state, intake_form, variables } = current
    if (state !== 'prepared' && state !== 'in_progress') throw editProblem(current)
    const changedFields = intake_form.filter(({ key }) => Object.hasOwn(changes, key))
    requireValidAnswers(changedFields, values, state === 'in_progress', ['body'])
    if (Object.keys(changes).length === 0) return variables
    const { isChanged, session } = await queries.updateVariables(db, id, state, values, removedKeys).catch(throwVariablesTooLarge)
    return isChanged && session ? session.variables : undefined
  })
}

export async function update({ db }: WriteContext, id: string, changes: SessionUpdate): Promise<Session> {
  if (Object.keys(changes).length === 0) return toSession(await requireEditable(db, id))
  const { isChanged, session } = await queries.updateSession(db, id, changes)
  if (!isChanged) throw editProblem(session)
  return toSession(session ?? throwNotFound('Session'))
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteSession(db, id))) await requireEditable(db, id)
}

/** Return a session of the account; throw 404 if there is none. */
export async function find(db: ReadContext['db'], id: string): Promise<SessionRow> {
  return (await selectSession.first(db, id)) ?? throwNotFound('Session')
}

/** Return a session that the caller may change. Throw 404 if there is none, and 403 unless they are its user or an account admin. */
export async function requireEditable(db: ReadContext['db'], id: string): Promise<SessionRow> {
  const session = await find(db, id)
  if (!session.may_change) throw editProblem(session)
  return session
}

/** Create the problem for a rejected change: 404 for no session, 403 if the caller may not change it, or 409 for a wrong state. */
export function editProblem(session: SessionRow | undefined): Problem {
  if (!session) return notFound('Session')
  if (!session.may_change) return new Problem('forbidden', 'Only its user or an account admin may change this session')
  return new Problem('wrong_state', 'The session is not in progress')
}

/** A published flow. */
export type RunnableFlow = queries.FlowRow & { tree_structure: TreeStructure }

/** Return a published flow. Throw 404 when the caller cannot see it, and 400 when it is not published. */
export async function findRunnable(db: ReadContext['db'], treeId: string): Promise<RunnableFlow> {
  const flow = (await queries.selectFlow(db, treeId)) ?? throwNotFound('Flow')
  const { status, tree_structure } = flow
  if (status !== 'published' || !tree_structure) throw new Problem('not_published', 'Only a published flow can be run')
  return { ...flow, tree_structure }
}

/** Throw 422 for invalid answers, and for missing ones if `mustBeComplete`. The path of an error is `loc` and the key. */
export function requireValidAnswers(
  form: readonly IntakeField[],
  answers: Variables,
  mustBeComplete: boolean,
  loc: FieldError['loc'] = ['body', 'variables'],
): void {
  const problems = createAnswerValidator(form, { complete: mustBeComplete })(answers)
  if (problems.length > 0) throw invalidRequest(problems.map(({ key, msg, type }) => ({ loc: [...loc, key], msg, type })))
}

/** Convert a row to a session as the API returns it. */
export function toSession(row: SessionRow): Session {
  const { variables, decisions, fallback_decisions, custom_steps, notes, next_steps, ...rest } = row
  const { tree_structure, intake_form, may_change: _, ...listRow } = rest
  const { tree_snapshot, ...item } = toListItem(listRow)
  const currentStep = row.current_step_id === null ? undefined : findAnswerableStep(tree_structure, row.current_step_id)
  const values = { ticket_number: row.ticket_number, client_name: row.client_name, target_label: row.target_label, ...variables }
  return {
    ...item,
    tree_snapshot: { ...tree_snapshot, tree_structure, intake_form },
    variables,
    decisions,
    fallback_decisions,
    custom_steps,
    notes,
    next_steps,
    current_step: currentStep ? renderStep(currentStep, values) : null,
  }
}

function toListItem(row: queries.SessionListRow): SessionListItem {
  const { name, description, category, version, tree_type, tree_account_id: _, answered, remaining, ...item } = row
  return {
    ...item,
    tree_snapshot: { name, description, category, version, tree_type },
    progress: computeProgress(answered, remaining),
  }
}

/** Insert a session of the current version of a flow. `build` returns the session and its initial state. */
async function createSession(
  db: WriteContext['db'],
  treeId: string,
  build: (flow: RunnableFlow) => [queries.NewSession, queries.InitialState],
): Promise<Session> {
  return retryOnConflict('flow', async () => {
    const flow = await findRunnable(db, treeId)
    const session = await queries.insertSession(db, flow, ...build(flow)).catch(throwVariablesTooLarge)
    return session && toSession(session)
  })
}

type SessionDetails = Partial<Pick<SessionPrepare, 'ticket_number' | 'client_name' | 'target_label'>>
export function buildNewSession({ ticket_number, client_name, target_label }: SessionDetails, variables: Variables): queries.NewSession {
  return {
    id: uuidv7(),
    ticket_number: ticket_number ?? null,
    client_name: client_name ?? null,
    target_label: target_label ?? null,
    variables,
  }
}

function buildPreparedState(structure: TreeStructure, batch_id: string | null): queries.InitialState {
  return { current_step_id: null, remaining: countRemainingAnswers(structure, getFirstStepId(structure)), batch_id }
}

function throwVariablesTooLarge(error: unknown): never {
  const isTooLarge = getViolatedConstraint(error) === 'sessions_variables_size'
  throw isTooLarge ? invalidField(['body'], 'must not extend the variables beyond 200 keys or 64 KB', 'too_big') : error
}
