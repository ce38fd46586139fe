import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { openStates } from '../../../lib/db/rows/ai-session.ts'
import type { Standing } from '../../../lib/db/rows/ai-session-lock.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import type { AiSessionDetail, TaskLane } from '../sessions/schemas.ts'
import * as aiSessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { Branch, BranchCreate, BranchId, FactPut, KnownFacts, SettledFact, TriagePatch } from './schemas.ts'

/** Writes what is given into the triage header; the rest stays. */
export async function update({ db }: Writer, id: string, patch: TriagePatch): Promise<AiSessionDetail> {
  if (Object.keys(patch).length === 0) return aiSessions.shown(await aiSessions.findOwn(db, id, openStates))
  const { done, session } = await queries.updateTriage(db, id, patch)
  if (!done || !session) throw aiSessions.refusal(session, openStates)
  return aiSessions.shown(session)
}

export async function saveLane({ db }: Writer, id: string, lane: TaskLane): Promise<TaskLane> {
  const { done, session } = await queries.replaceLane(db, id, lane)
  if (!done) throw aiSessions.refusal(session, openStates)
  return lane
}

export async function branches({ db }: Reader, id: string, page: PageQuery) {
  const found = await queries.selectBranches(db, id, page)
  if (found.length === 0) await aiSessions.find(db, id)
  return toPage(found, page.limit)
}

/** A branch behind a message of the active one, which becomes the active one. */
export async function openBranch({ db }: Writer, id: string, { name, from_message_id }: BranchCreate): Promise<Branch> {
  const { done, session, branch } = await queries.insertBranch(db, id, name, from_message_id)
  if (done && branch) return branch
  requireOpen(session)
  if (from_message_id && !(await queries.isOnActiveLine(db, id, from_message_id)))
    throw invalid([{ loc: ['body', 'from_message_id'], msg: 'No message of the active branch', type: 'unknown_message' }])
  throw new Problem('conflict', 'A session has at most 100 branches', { code: 'too_many_branches' })
}

export async function activateBranch({ db }: Writer, ids: BranchId): Promise<Branch> {
  const { done, session, branch } = await queries.activateBranch(db, ids)
  if (session?.is_owner && !branch) throw new Problem('not_found', 'Branch not found')
  if (!done || !branch) throw aiSessions.refusal(session, openStates)
  return branch
}

export async function facts({ db }: Reader, id: string): Promise<KnownFacts> {
  const known = await queries.selectFacts(db, id)
  if (!known) throw aiSessions.refusal(undefined, [])
  return known
}

export async function settleFact({ db }: Writer, id: string, fact: FactPut): Promise<SettledFact> {
  const { session, fact: settled } = await queries.upsertFact(db, id, fact)
  const { state_version } = requireOpen(session)
  if (!settled) throw new Problem('conflict', 'A session has at most 200 facts', { code: 'too_many_facts' })
  return { ...settled, state_version }
}

function requireOpen(session: Standing | undefined): Standing {
  if (!session?.is_owner || !openStates.some((status) => status === session.status)) throw aiSessions.refusal(session, openStates)
  return session
}
