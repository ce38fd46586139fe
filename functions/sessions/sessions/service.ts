import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { retryOnConflict } from '#db/retry.ts'
import { isTechnician } from '#db/rows/case-owners.ts'
import { changeSession, findSession } from '#db/rows/sessions.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import { uuidv7 } from '#db/uuid.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import {
  type FieldError,
  invalidField,
  invalidRequest,
  notFound,
  Problem,
  staleVersion,
  throwNotFound,
  unknownId,
} from '#problem.ts'
import { applyDefaults, createAnswerValidator } from '#rules/flows/intake-answers.ts'
import { renderRun } from '#rules/flows/run-view.ts'
import { describeSecrets, removeSecretStates, splitAnswers } from '#rules/flows/secret-answers.ts'
import type { RunState, SessionListRow, SessionRow } from '#rules/flows/session-row.ts'
import {
  computeProgress,
  countRemainingAnswers,
  getFirstStepId,
  getPosition,
} from '#rules/flows/step-navigation.ts'
import type { IntakeField, TreeStructure } from '#rules/flows/structure.ts'
import { openAnswers, sealAnswers } from '#vendors/auth/sealed-answers.ts'
import * as queries from './queries.ts'
import type {
  Session,
  SessionListItem,
  SessionPrepare,
  SessionQuery,
  SessionStart,
  SessionUpdate,
  Variables,
} from './schemas.ts'

export async function list({ db }: ReadContext, query: SessionQuery & PageQuery) {
  return toPage((await queries.selectSessions.all(db, query)).map(toListItem), query, newestFirst)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<Session> {
  return toSession(await find(db, id))
}

/** Start a session of a flow. Every required field of the intake form must be answered. */
export async function start(
  { db, vault }: WriteContext,
  { tree_id, variables = {}, ...details }: SessionStart,
): Promise<Session> {
  return createSession({ db }, tree_id, async (flow) => {
    const answers = applyDefaults(flow.intake_form, variables)
    requireValidAnswers(flow.intake_form, answers, true, {})
    const position = getPosition(flow.tree_structure, getFirstStepId(flow.tree_structure))
    return [await buildNewSession(vault, flow.intake_form, details, answers), { ...position, batch_id: null }]
  })
}

/** Store a session to start later. Missing answers are required when it starts. */
export async function prepare(
  { db, vault }: Pick<WriteContext, 'db' | 'vault'>,
  { tree_id, variables = {}, ...details }: SessionPrepare,
): Promise<Session> {
  return createSession({ db }, tree_id, async (flow) => {
    requireValidAnswers(flow.intake_form, variables, false, {})
    return [
      await buildNewSession(vault, flow.intake_form, details, variables),
      buildPreparedState(flow.tree_structure, null),
    ]
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
  return (
    (await queries.insertSessions.run(db, flow, newSessions, initialState).catch(throwVariablesTooLarge)) > 0
  )
}

export async function startPrepared(
  { db, vault }: WriteContext,
  id: string,
  input: Variables = {},
): Promise<Session> {
  return retryOnConflict('session', async () => {
    const session = await requireEditable(db, id)
    const { intake_form } = session
    if (session.state !== 'prepared')
      throw new Problem('wrong_state', 'Only a prepared session can be started')
    const { variables: values, secrets } = splitAnswers(intake_form, removeSecretStates(intake_form, input))
    const variables = applyDefaults(intake_form, { ...session.variables, ...values })
    const unchangedSecretKeys = session.secret_keys.filter((key) => !Object.hasOwn(secrets, key))
    requireValidAnswers(intake_form, { ...variables, ...secrets }, true, { unchangedSecretKeys })
    const changes = {
      storedVariables: session.variables,
      variables,
      secrets: await sealAnswers(vault, id, secrets),
      unchangedSecretKeys,
      removedKeys: findEmptyAnswers(secrets),
      position: getPosition(session.tree_structure, getFirstStepId(session.tree_structure)),
    }
    const started = await changeSession(db, id, queries.startSession.query(id, changes)).catch(
      throwVariablesTooLarge,
    )
    return started.isChanged && started.session ? toSession(started.session) : undefined
  })
}

/**
 * Set variables, and remove those that are null. Return all variables. Throw 422 if a session in progress
 * would lose a required answer.
 */
export async function updateVariables(
  { db, vault }: WriteContext,
  id: string,
  changes: Variables,
): Promise<Variables> {
  return retryOnConflict('session', async () => {
    const current = await requireEditable(db, id)
    const { state, intake_form } = current
    if (state !== 'prepared' && state !== 'in_progress') throw editProblem(current)
    const input = removeSecretStates(intake_form, changes)
    const newAnswers = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
    const changedFields = intake_form.filter(({ key }) => Object.hasOwn(input, key))
    requireValidAnswers(changedFields, newAnswers, state === 'in_progress', { loc: ['body'] })
    if (Object.keys(input).length === 0) return describeVariables(current)
    const { variables: values, secrets } = splitAnswers(intake_form, newAnswers)
    const removedKeys = [
      ...Object.keys(input).filter((key) => input[key] === null),
      ...findEmptyAnswers(secrets),
    ]
    const change = { values, secrets: await sealAnswers(vault, id, secrets), removedKeys }
    const { isChanged, session } = await queries
      .updateVariables(db, id, state, change)
      .catch(throwVariablesTooLarge)
    return isChanged && session ? describeVariables(session) : undefined
  })
}

/**
 * Return the variables of a session that the caller may change, with the secret answers in clear. Use them
 * for one script only.
 */
export async function readAnswers(
  { db, vault }: Pick<WriteContext, 'db' | 'vault'>,
  id: string,
): Promise<Variables> {
  const session = await requireEditable(db, id)
  if (session.secret_keys.length === 0) return session.variables
  return { ...session.variables, ...(await openAnswers(vault, id, await queries.selectSecrets(db, id))) }
}

/**
 * Return the secret answers of a session that the caller may change, in clear. Use them only to find where a
 * text repeats them.
 */
export async function readSecretAnswers(
  { db, vault }: Pick<WriteContext, 'db' | 'vault'>,
  id: string,
): Promise<string[]> {
  return Object.values(await openAnswers(vault, id, await queries.selectSecrets(db, id)))
}

/** Return the secret answers without text. They remove the stored answer. */
function findEmptyAnswers(secrets: Variables): string[] {
  return Object.keys(secrets).filter((key) => typeof secrets[key] !== 'string' || secrets[key].trim() === '')
}

/** Return the variables as the API shows them. A secret field only shows whether it has an answer. */
export function describeVariables({
  variables,
  intake_form,
  secret_keys,
}: Pick<RunState, 'variables' | 'intake_form' | 'secret_keys'>): Variables {
  return { ...variables, ...describeSecrets(intake_form, secret_keys) }
}

export async function update({ db }: WriteContext, id: string, changes: SessionUpdate): Promise<Session> {
  if (Object.keys(changes).length === 0) return toSession(await requireEditable(db, id))
  const { isChanged, session } = await queries.updateSession(db, id, changes)
  if (!isChanged) throw editProblem(session)
  return toSession(session ?? throwNotFound('Session'))
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (await queries.deleteSession(db, id)) return
  const { parent_session_id } = await requireEditable(db, id)
  if (parent_session_id)
    throw new Problem('wrong_state', 'Its steps are a part of a completed session', {
      facts: { parent_session_id },
    })
}

/** Hand a session over to a colleague of its team. */
export async function reassign({ db }: WriteContext, id: string, userId: string): Promise<Session> {
  const { isChanged, session } = await changeSession(db, id, queries.handOver.query(id, userId))
  if (isChanged && session) return toSession(session)
  const { may_reassign, may_receive } =
    (await queries.selectHandOver.first(db, id, userId)) ?? throwNotFound('Session')
  if (!may_reassign)
    throw new Problem('forbidden', 'Only its user or an admin of its team may hand this session over')
  requireWhole(session)
  if (session?.state !== 'prepared' && session?.state !== 'in_progress')
    throw new Problem('wrong_state', 'The session has ended')
  if (may_receive) throw staleVersion('session')
  throw invalidField(
    ['body', 'user_id'],
    'must be the id of a colleague of the session’s team who can work',
    'unknown',
  )
}

/** Make the caller the user of a prepared session of their team. */
export async function take({ db }: WriteContext, id: string): Promise<Session> {
  const { isChanged, session } = await changeSession(db, id, queries.handOver.query(id, null))
  if (isChanged && session) return toSession(session)
  const { may_receive } = (await queries.selectHandOver.first(db, id, null)) ?? throwNotFound('Session')
  if (!may_receive) throw new Problem('forbidden', 'Only a member of its team may take this session')
  requireWhole(session)
  if (session?.state !== 'prepared') throw new Problem('wrong_state', 'Only a prepared session can be taken')
  throw new Problem('already_claimed', undefined, { facts: { user_id: session.user_id } })
}

/** Throw 409 for a sub-flow, which follows the session that runs it. */
function requireWhole(session: SessionRow | undefined): void {
  if (session?.parent_session_id)
    throw new Problem('wrong_state', 'It follows the session that runs it. Hand that one over', {
      facts: { parent_session_id: session.parent_session_id },
    })
}

/** Return a session of the account; throw 404 if there is none. */
export async function find(db: ReadContext['db'], id: string): Promise<SessionRow> {
  return (await findSession(db, id)) ?? throwNotFound('Session')
}

/**
 * Return a session that the caller may change. Throw 404 if there is none, and 403 unless they are its user
 * or an account admin.
 */
export async function requireEditable(db: ReadContext['db'], id: string): Promise<SessionRow> {
  const session = await find(db, id)
  if (!session.may_change) throw editProblem(session)
  return session
}

/** Return a session in progress that the caller may change. Throw 404, 403 or 409 otherwise. */
export async function requireInProgress(db: ReadContext['db'], id: string): Promise<SessionRow> {
  const session = await requireEditable(db, id)
  if (session.state !== 'in_progress') throw editProblem(session)
  return session
}

/**
 * Create the problem for a rejected change: 404 for no session, 403 if the caller may not change it, or 409
 * for a wrong state.
 */
export function editProblem(session: Pick<SessionRow, 'may_change'> | undefined): Problem {
  if (!session) return notFound('Session')
  if (!session.may_change)
    return new Problem('forbidden', 'Only its user or an account admin may change this session')
  return new Problem('wrong_state', 'The session is not in progress')
}

/** A published flow. */
export type RunnableFlow = queries.FlowRow & { tree_structure: TreeStructure }

/** Return a published flow. Throw 404 when the caller cannot see it, and 400 when it is not published. */
export async function findRunnable(db: ReadContext['db'], treeId: string): Promise<RunnableFlow> {
  const flow = (await queries.selectFlow(db, treeId)) ?? throwNotFound('Flow')
  const { status, tree_structure } = flow
  if (status !== 'published' || !tree_structure)
    throw new Problem('not_published', 'Only a published flow can be run')
  return { ...flow, tree_structure }
}

/**
 * Require the flow and the owner of sessions that will be prepared. Throw 404 for a flow that the caller cannot
 * see, 400 for one that is not published, and 422 for a user who cannot run flows.
 */
export async function requireFlowAndOwner(
  db: ReadContext['db'],
  { tree_id, user_id }: { tree_id?: string | null | undefined; user_id?: string | undefined },
): Promise<void> {
  if (tree_id) await findRunnable(db, tree_id)
  if (user_id && !(await isTechnician(db, user_id))) throw unknownId('user_id', 'technician')
}

interface AnswerOptions {
  /** The path of an error is this path and the key. */
  loc?: FieldError['loc']
  /** Secret fields whose stored answer stays. */
  unchangedSecretKeys?: readonly string[]
}

/** Throw 422 for invalid answers, and for missing ones if `mustBeComplete`. */
export function requireValidAnswers(
  form: readonly IntakeField[],
  answers: Variables,
  mustBeComplete: boolean,
  { loc = ['body', 'variables'], unchangedSecretKeys = [] }: AnswerOptions,
): void {
  const checkedForm = form.filter(({ key }) => !unchangedSecretKeys.includes(key))
  const problems = createAnswerValidator(checkedForm, { complete: mustBeComplete })(answers)
  if (problems.length > 0)
    throw invalidRequest(problems.map(({ key, msg, type }) => ({ loc: [...loc, key], msg, type })))
}

/** Convert a row to a session as the API returns it. */
export function toSession(row: SessionRow): Session {
  const { tree_snapshot, ...item } = toListItem(row)
  const { tree_structure, intake_form } = row
  return {
    ...item,
    tree_snapshot: { ...tree_snapshot, tree_structure, intake_form },
    variables: describeVariables(row),
    fallback_decisions: row.fallback_decisions,
    custom_steps: row.custom_steps,
    notes: row.notes,
    next_steps: row.next_steps,
    timer_due_at: row.timer_due_at,
    flow_overdue_since: row.flow_overdue_since,
    ...renderRun(row),
  }
}

/** Convert a row of a list to a session as the API returns it. */
export function toListItem(row: SessionListRow): SessionListItem {
  const { name, description, category, version, tree_type, state, answered, remaining } = row
  return {
    id: row.id,
    account_id: row.account_id,
    team_id: row.team_id,
    user_id: row.user_id,
    user_name: row.user_name,
    tree_id: row.tree_id,
    tree_snapshot: { name, description, category, version, tree_type },
    state,
    ticket_number: row.ticket_number,
    client_name: row.client_name,
    outcome: row.outcome,
    batch_id: row.batch_id,
    target_label: row.target_label,
    current_step_id: row.current_step_id,
    parent_session_id: row.parent_session_id,
    parent_step_id: row.parent_step_id,
    subflow_session_id: row.subflow_session_id,
    progress: computeProgress(answered, state === 'completed' ? 0 : remaining),
    exported_at: row.exported_at,
    assigned_at: row.assigned_at,
    started_at: row.started_at,
    completed_at: row.completed_at,
    created_at: row.created_at,
  }
}

/** Insert a session of the current version of a flow. `build` returns the session and its initial state. */
async function createSession(
  { db }: Pick<WriteContext, 'db'>,
  treeId: string,
  build: (flow: RunnableFlow) => Promise<[queries.NewSession, queries.InitialState]>,
): Promise<Session> {
  return retryOnConflict('flow', async () => {
    const flow = await findRunnable(db, treeId)
    const session = await queries
      .insertSession(db, flow, ...(await build(flow)))
      .catch(throwVariablesTooLarge)
    return session && toSession(session)
  })
}

type SessionDetails = Partial<Pick<SessionPrepare, 'ticket_number' | 'client_name' | 'target_label'>>
/** Build a session. The answers to secret fields are encrypted for it, or left out without a vault. */
export async function buildNewSession(
  vault: WriteContext['vault'] | null,
  form: readonly IntakeField[],
  { ticket_number, client_name, target_label }: SessionDetails,
  answers: Variables,
): Promise<queries.NewSession> {
  const id = uuidv7()
  const { variables, secrets } = splitAnswers(form, answers)
  return {
    id,
    ticket_number: ticket_number ?? null,
    client_name: client_name ?? null,
    target_label: target_label ?? null,
    variables,
    secret_variables: vault ? await sealAnswers(vault, id, secrets) : {},
  }
}

function buildPreparedState(structure: TreeStructure, batch_id: string | null): queries.InitialState {
  return {
    current_step_id: null,
    remaining: countRemainingAnswers(structure, getFirstStepId(structure)),
    batch_id,
    timer: null,
  }
}

/** Turn the violation of the limit of variables into 422. */
export function throwVariablesTooLarge(error: unknown): never {
  const isTooLarge = /^sessions_(?:secret_)?variables_size$/.test(getViolatedConstraint(error) ?? '')
  throw isTooLarge ? variablesTooLarge() : error
}

export function variablesTooLarge(): Problem {
  return invalidField(['body'], 'must not extend the variables beyond 200 keys or 64 KB', 'too_big')
}
