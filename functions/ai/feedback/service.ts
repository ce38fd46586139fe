import { type Page, type PageQuery, toPage } from '#db/page.ts'
import { find } from '#functions/ai/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { notFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { Feedback, FeedbackPut } from './schemas.ts'

/**
 * Store what the caller thinks of an answer. Throw 404 for a session or an answer that the caller does not
 * see.
 */
export async function set({ db }: WriteContext, sessionId: string, feedback: FeedbackPut): Promise<Feedback> {
  const [row] = await queries.upsertFeedback.all(db, sessionId, feedback)
  if (row) return row
  await find(db, sessionId)
  throw notFound('Answer')
}

export async function list({ db }: ReadContext, sessionId: string, page: PageQuery): Promise<Page<Feedback>> {
  const rows = await queries.selectFeedback(db, sessionId, page)
  if (rows.length === 0) await find(db, sessionId)
  return toPage(rows, page, queries.feedbackOrder)
}
