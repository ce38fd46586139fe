import { oldestFirst, type PageQuery, toPage } from '#db/page.ts'
import { getSqlState, throwUnknownId } from '#db/sqlstate.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, notFound, Problem, throwNotFound } from '#problem.ts'
import { containsStep } from '#rules/flows/step-navigation.ts'
import * as queries from './queries.ts'
import type { FeedbackPut, RatingPut, SupportingCreate, SupportingItem, SupportingUpdate } from './schemas.ts'

const throwUnknownUpload = throwUnknownId('upload_id', 'upload', 'upload')

export async function listSupportingData({ db }: ReadContext, sessionId: string, page: PageQuery) {
  const items = await queries.selectItems(db, sessionId, page)
  if (items.length === 0) await sessions.find(db, sessionId)
  return toPage(items, page, oldestFirst)
}

export async function addSupportingData({ db }: WriteContext, sessionId: string, item: SupportingCreate) {
  const session = await sessions.requireEditable(db, sessionId)
  requireKnownStep(session, item.step_id)
  return (
    (await queries.insertItem(db, sessionId, item).catch(throwUnknownUpload)) ??
    throwNotFound('Supporting data')
  )
}

export async function updateSupportingData(
  { db }: WriteContext,
  sessionId: string,
  id: string,
  changes: SupportingUpdate,
): Promise<SupportingItem> {
  const session = await sessions.requireEditable(db, sessionId)
  const item = (await queries.selectItem(db, sessionId, id)) ?? throwNotFound('Supporting data')
  if (Object.keys(changes).length === 0) return item
  if (item.kind === 'text' && changes.content === null)
    throw invalidField(['body', 'content'], 'must not be null for a text', 'custom')
  if (item.kind === 'text' && changes.upload_id)
    throw invalidField(['body', 'upload_id'], 'must be absent for a text', 'custom')
  requireKnownStep(session, changes.step_id)
  return (
    (await queries.updateItem(db, sessionId, id, changes).catch(throwUnknownUpload)) ??
    throwNotFound('Supporting data')
  )
}

export async function deleteSupportingData(
  { db }: WriteContext,
  sessionId: string,
  id: string,
): Promise<void> {
  if (await queries.deleteItem(db, sessionId, id)) return
  await sessions.requireEditable(db, sessionId)
  throw notFound('Supporting data')
}

/** Insert or replace the rating of a session. Every user of the account may rate. */
export async function rateSession({ db }: WriteContext, sessionId: string, rating: RatingPut) {
  return (await queries.upsertRating(db, sessionId, rating)) ?? throwNotFound('Session')
}

export async function getRating({ db }: ReadContext, sessionId: string) {
  const rating = await queries.selectRating(db, sessionId)
  if (rating) return rating
  await sessions.find(db, sessionId)
  throw new Problem('not_found', 'The session is not rated')
}

/** Insert or replace the caller's feedback on a step. */
export async function rateStep(
  { db }: WriteContext,
  sessionId: string,
  stepId: string,
  feedback: FeedbackPut,
) {
  const { tree_structure } = await sessions.find(db, sessionId)
  if (!containsStep(tree_structure, stepId)) throw notFound('Step')
  return queries.upsertFeedback(db, sessionId, stepId, feedback).catch(throwSessionNotFound)
}

function requireKnownStep(
  { tree_structure }: Awaited<ReturnType<typeof sessions.find>>,
  stepId: string | null | undefined,
): void {
  if (stepId && !containsStep(tree_structure, stepId))
    throw invalidField(['body', 'step_id'], 'must be the id of a step of this flow', 'custom')
}

/** Throw 404 on a foreign key violation: the session was deleted after it was read. */
function throwSessionNotFound(error: unknown): never {
  throw getSqlState(error) === '23503' ? notFound('Session') : error
}
