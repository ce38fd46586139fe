import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { violated } from '../../../lib/db/sqlstate.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import { answerProblems, withDefaults } from '../../../lib/flows/answers.ts'
import { findStep, firstStep, progressOf, remainingFrom, showStep } from '../../../lib/flows/run.ts'
import type { SessionRow } from '../../../lib/flows/session.ts'
import type { IntakeField, TreeStructure } from '../../../lib/flows/structure.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { changedMeanwhile, type Invalid, invalid, Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { Session, SessionListItem, SessionPrepare, SessionQuery, SessionStart, SessionUpdate, Variables } from './schemas.ts'

const tries = 5

export async function list({ db }: Reader, query: SessionQuery & PageQuery) {
  return toPage((await queries.selectSessions(db, query)).map(listed), query.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<Session> {
  return shown(await find(db, id))
}

/** Begins to run a flow: what its intake form requires must be answered. */
export async function start({ db }: Writer, { tree_id, variables = {}, ...about }: SessionStart): Promise<Session> {
  return begin(db, tree_id, (flow) => {
    const answers = withDefaults(flow.intake_form, variables)
    checkAnswers(flow.intake_form, answers, true)
    const current_step_id = firstStep(flow.tree_structure)
    return [sessionOf(about, answers), { current_step_id, remaining: remainingFrom(flow.tree_structure, current_step_id), batch_id: null }]
  })
}

/** Stores what is known beforehand; what is missing is asked for when it starts. */
export async function prepare({ db }: Writer, { tree_id, variables = {}, ...about }: SessionPrepare): Promise<Session> {
  return begin(db, tree_id, (flow) => {
    checkAnswers(flow.intake_form, variables, false)
    return [sessionOf(about, variables), prepared(flow.tree_structure, null)]
  })
}

/** One prepared session per target, all or none. */
export async function prepareMany({ db }: Pick<Writer, 'db'>, flow: RunnableFlow, targets: readonly queries.NewSession[], batchId: string) {
  return queries.insertSessions(db, flow, targets, prepared(flow.tree_structure, batchId)).catch(tooLarge)
}

export async function startPrepared({ db }: Writer, id: string, given: Variables = {}): Promise<Session> {
  for (let n = 0; n < tries; n++) {
    const session = await findOwn(db, id)
    if (session.state !== 'prepared') throw new Problem('conflict', 'Only a prepared session can be started', { code: 'not_prepared' })
    const variables = withDefaults(session.intake_form, { ...session.variables, ...given })
    checkAnswers(session.intake_form, variables, true)
    const beginning = { seen: session.variables, variables, first: firstStep(session.tree_structure) }
    const started = await queries.startSession(db, id, beginning).catch(tooLarge)
    if (started.done && started.session) return shown(started.session)
  }
  throw changedMeanwhile('session')
}

/** Sets what is given, removes what is null, and answers all variables. What a running session needs cannot be removed. */
export async function updateVariables({ db }: Writer, id: string, given: Variables): Promise<Variables> {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const removed = Object.keys(given).filter((key) => given[key] === null)
  for (let n = 0; n < tries; n++) {
    const { state, intake_form, variables } = await findOwn(db, id)
    if (state !== 'prepared' && state !== 'in_progress') throw notInProgress()
    const touched = intake_form.filter(({ key }) => Object.hasOwn(given, key))
    checkAnswers(touched, set, state === 'in_progress', ['body'])
    if (Object.keys(given).length === 0) return variables
    const { done, session } = await queries.updateVariables(db, id, state, set, removed).catch(tooLarge)
    if (done && session) return session.variables
  }
  throw changedMeanwhile('session')
}

export async function update({ db }: Writer, id: string, given: SessionUpdate): Promise<Session> {
  if (Object.keys(given).length === 0) return shown(await findOwn(db, id))
  const { done, session } = await queries.updateSession(db, id, given)
  if (!done) throw refusal(session)
  return shown(session ?? missing())
}

export async function remove({ db }: Writer, id: string): Promise<void> {
  if (!(await queries.deleteSession(db, id))) await findOwn(db, id)
}

/** A session of the account, or 404. */
export async function find(db: Reader['db'], id: string): Promise<SessionRow> {
  return (await queries.selectSession(db, id)) ?? missing()
}

/** A session that the caller may change: its user or an account admin, others 403. */
export async function findOwn(db: Reader['db'], id: string): Promise<SessionRow> {
  const session = await find(db, id)
  if (!session.may_change) throw refusal(session)
  return session
}

/** Why a change was not made: 404, 403, or 409 since the session is not in progress. */
export function refusal(session: SessionRow | undefined): Problem {
  if (!session) return new Problem('not_found', 'Session not found')
  if (!session.may_change) return new Problem('forbidden', 'Only its user or an account admin may change this session')
  return notInProgress()
}

/** A flow that may be run. */
export interface RunnableFlow extends queries.FlowRow {
  tree_structure: TreeStructure
}

/** A flow that the caller sees (404) and that is published (400). */
export async function findRunnable(db: Reader['db'], treeId: string): Promise<RunnableFlow> {
  const flow = await queries.selectFlow(db, treeId)
  if (!flow) throw new Problem('not_found', 'Flow not found')
  const { status, tree_structure } = flow
  if (status !== 'published' || !tree_structure)
    throw new Problem('bad_request', 'Only a published flow can be run', { code: 'flow_not_published' })
  return { ...flow, tree_structure }
}

/** Throws 422 for answers that do not fit, and for missing ones when they must be complete. */
export function checkAnswers(
  form: readonly IntakeField[],
  answers: Variables,
  complete: boolean,
  at: Invalid['loc'] = ['body', 'variables'],
): void {
  const problems = answerProblems(form, answers, { complete })
  if (problems.length > 0) throw invalid(problems.map(({ key, msg, type }) => ({ loc: [...at, key], msg, type })))
}

/** What a caller reads of a session. */
export function shown(row: SessionRow): Session {
  const { variables, decisions, fallback_decisions, custom_steps, notes, next_steps, tree_structure, intake_form } = row
  const { tree_snapshot, ...item } = listed(row)
  const current = row.current_step_id === null ? undefined : findStep(tree_structure, row.current_step_id)
  const values = { ticket_number: row.ticket_number, client_name: row.client_name, target_label: row.target_label, ...variables }
  return {
    ...item,
    tree_snapshot: { ...tree_snapshot, tree_structure, intake_form },
    ...{ variables, decisions, fallback_decisions, custom_steps, notes, next_steps },
    current_step: current ? showStep(current, values) : null,
  }
}

function listed(row: queries.ListRow): SessionListItem {
  const { name, description, category, version, tree_type, answered, remaining } = row
  const { id, account_id, team_id, user_id, user_name, tree_id, state, ticket_number, client_name, outcome } = row
  const { batch_id, target_label, current_step_id, exported_at, started_at, completed_at, created_at } = row
  return {
    ...{ id, account_id, team_id, user_id, user_name, tree_id, state, ticket_number, client_name, outcome },
    ...{ batch_id, target_label, current_step_id, exported_at, started_at, completed_at, created_at },
    tree_snapshot: { name, description, category, version, tree_type },
    progress: progressOf(answered, remaining),
  }
}

async function begin(
  db: Writer['db'],
  treeId: string,
  of: (flow: RunnableFlow) => [queries.NewSession, queries.Beginning],
): Promise<Session> {
  for (let n = 0; n < tries; n++) {
    const flow = await findRunnable(db, treeId)
    const session = await queries.insertSession(db, flow, ...of(flow)).catch(tooLarge)
    if (session) return shown(session)
  }
  throw changedMeanwhile('flow')
}

type About = Partial<Pick<SessionPrepare, 'ticket_number' | 'client_name' | 'target_label'>>
export function sessionOf({ ticket_number, client_name, target_label }: About, variables: Variables): queries.NewSession {
  return {
    id: uuidv7(),
    ticket_number: ticket_number ?? null,
    client_name: client_name ?? null,
    target_label: target_label ?? null,
    variables,
  }
}

function prepared(structure: TreeStructure, batch_id: string | null): queries.Beginning {
  return { current_step_id: null, remaining: remainingFrom(structure, firstStep(structure)), batch_id }
}

function notInProgress(): Problem {
  return new Problem('conflict', 'The session is not in progress', { code: 'not_in_progress' })
}

function missing(): never {
  throw new Problem('not_found', 'Session not found')
}

function tooLarge(error: unknown): never {
  const exceeded = violated(error) === 'sessions_variables_size'
  throw exceeded ? invalid([{ loc: ['body'], msg: 'The variables would exceed 200 keys or 64 KB', type: 'too_big' }]) : error
}
