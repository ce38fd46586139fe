import { oldestFirst, type PageQuery, toPage } from '#db/page.ts'
import { maxFacts } from '#db/rows/ai-session.ts'
import type { AiSessionState } from '#db/rows/ai-session-lock.ts'
import { findActiveBranch } from '#db/rows/ai-session-queries.ts'
import type { AiSessionDetail } from '#functions/ai/sessions/schemas.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, limitReached, notFound, staleVersion, throwNotFound } from '#problem.ts'
import { openStates } from '#rules/ai/session-values.ts'
import * as queries from './queries.ts'
import type {
  Branch,
  BranchCreate,
  BranchId,
  FactList,
  FactPut,
  FactWithVersion,
  TaskLanePut,
  TaskLaneWithVersion,
  TriagePatch,
} from './schemas.ts'

/** Update the fields of the triage header that `patch` contains. */
export async function update({ db }: WriteContext, id: string, patch: TriagePatch): Promise<AiSessionDetail> {
  if (Object.keys(patch).length === 0)
    return aiSessions.toDetail(await aiSessions.findOwn(db, id, openStates))
  const { isChanged, session } = await queries.updateTriage(db, id, patch)
  if (!isChanged || !session) throw aiSessions.createChangeProblem(session, openStates)
  return aiSessions.toDetail(session)
}

export async function putTaskLane(
  { db }: WriteContext,
  id: string,
  input: TaskLanePut,
): Promise<TaskLaneWithVersion> {
  const { isChanged, session, lane, stored } = await queries.updateTaskLane(db, id, input)
  if (!stored) throw aiSessions.createChangeProblem(session, openStates)
  if (!isChanged) {
    requireOpenSession(session)
    throw staleVersion('task lane', { current_version: stored.version })
  }
  return { ...lane, ...stored }
}

export async function listBranches({ db }: ReadContext, id: string, page: PageQuery) {
  const branches = await queries.selectBranches(db, id, page)
  if (branches.length === 0) await findActiveBranch(db, id)
  return toPage(branches, page, oldestFirst)
}

/** Create a branch that starts after a message of the active branch, and activate it. */
export async function createBranch(
  { db }: WriteContext,
  id: string,
  { name, from_message_id }: BranchCreate,
): Promise<Branch> {
  const { isChanged, session, branch } = await queries.insertBranch(db, id, name, from_message_id)
  if (isChanged && branch) return branch
  requireOpenSession(session)
  if (from_message_id && !(await queries.selectActiveBranchMessage.first(db, id, from_message_id)))
    throw invalidField(
      ['body', 'from_message_id'],
      'must be the id of a message of the active branch',
      'unknown_message',
    )
  throw limitReached(
    'branches',
    queries.maxBranches,
    `A session has at most ${queries.maxBranches} branches; activate an existing one`,
  )
}

export async function activateBranch({ db }: WriteContext, ids: BranchId): Promise<Branch> {
  const { isChanged, session, branch } = await queries.activateBranch(db, ids)
  if (session?.is_owner && !branch) throw notFound('Branch')
  if (!isChanged || !branch) throw aiSessions.createChangeProblem(session, openStates)
  return branch
}

export async function listFacts({ db }: ReadContext, id: string): Promise<FactList> {
  return (await queries.selectFacts(db, id)) ?? throwNotFound('AI session')
}

export async function putFact({ db }: WriteContext, id: string, fact: FactPut): Promise<FactWithVersion> {
  const { session, fact: storedFact } = await queries.upsertFact(db, id, fact)
  const { state_version } = requireOpenSession(session)
  if (!storedFact)
    throw limitReached('facts', maxFacts, `A session has at most ${maxFacts} facts; update an existing one`)
  return { ...storedFact, state_version }
}

function requireOpenSession(session: AiSessionState | undefined): AiSessionState {
  if (!session?.is_owner || !openStates.some((status) => status === session.status))
    throw aiSessions.createChangeProblem(session, openStates)
  return session
}
