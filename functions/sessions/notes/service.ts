import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { sqlState, violated } from '../../../lib/db/sqlstate.ts'
import { hasStep } from '../../../lib/flows/run.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as sessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { FeedbackPut, RatingPut, SupportingCreate, SupportingItem, SupportingUpdate } from './schemas.ts'

export async function listItems({ db }: Reader, sessionId: string, page: PageQuery) {
  const items = await queries.selectItems(db, sessionId, page)
  if (items.length === 0) await sessions.find(db, sessionId)
  return toPage(items, page.limit)
}

export async function addItem({ db }: Writer, sessionId: string, item: SupportingCreate) {
  const session = await sessions.findOwn(db, sessionId)
  requireStep(session, item.step_id)
  return (await queries.insertItem(db, sessionId, item).catch(unknownUpload)) ?? missing()
}

export async function updateItem({ db }: Writer, sessionId: string, id: string, change: SupportingUpdate): Promise<SupportingItem> {
  const session = await sessions.findOwn(db, sessionId)
  const item = (await queries.selectItem(db, sessionId, id)) ?? missing()
  if (Object.keys(change).length === 0) return item
  if (item.kind === 'text' && change.content === null) throw wrong('content', 'A text has content')
  if (item.kind === 'text' && change.upload_id) throw wrong('upload_id', 'A text has no picture')
  requireStep(session, change.step_id)
  return (await queries.updateItem(db, sessionId, id, change).catch(unknownUpload)) ?? missing()
}

export async function removeItem({ db }: Writer, sessionId: string, id: string): Promise<void> {
  if (await queries.deleteItem(db, sessionId, id)) return
  await sessions.findOwn(db, sessionId)
  missing()
}

/** One per session, whoever in the account enters it; a second one takes the first one's place. */
export async function rate({ db }: Writer, sessionId: string, rating: RatingPut) {
  return (await queries.upsertRating(db, sessionId, rating)) ?? noSession()
}

export async function rating({ db }: Reader, sessionId: string) {
  const found = await queries.selectRating(db, sessionId)
  if (found) return found
  await sessions.find(db, sessionId)
  throw new Problem('not_found', 'This session is not rated')
}

/** One per step and person; a second one takes the first one's place. */
export async function giveFeedback({ db }: Writer, sessionId: string, stepId: string, feedback: FeedbackPut) {
  const { tree_structure } = await sessions.find(db, sessionId)
  if (!hasStep(tree_structure, stepId)) throw new Problem('not_found', 'Step not found')
  // Deleted in the meantime.
  return queries
    .upsertFeedback(db, sessionId, stepId, feedback)
    .catch((error) => (sqlState(error) === '23503' ? noSession() : raise(error)))
}

function requireStep({ tree_structure }: Awaited<ReturnType<typeof sessions.find>>, stepId: string | null | undefined): void {
  if (stepId && !hasStep(tree_structure, stepId)) throw wrong('step_id', 'No such step of this flow')
}

function unknownUpload(error: unknown): never {
  const ours = sqlState(error) === '23503' && violated(error)?.includes('upload')
  throw ours ? wrong('upload_id', 'No such upload') : error
}

function wrong(field: string, msg: string): Problem {
  return invalid([{ loc: ['body', field], msg, type: 'custom' }])
}

function raise(error: unknown): never {
  throw error
}

function noSession(): never {
  throw new Problem('not_found', 'Session not found')
}

function missing(): never {
  throw new Problem('not_found', 'Supporting data not found')
}
