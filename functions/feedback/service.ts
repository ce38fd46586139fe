import { latestIdFirst, type PageQuery, toPage } from '#db/page.ts'
import type { PlatformDb } from '#db/scope.ts'
import type { Context, WriteContext } from '#http/operation.ts'
import { writeFeedbackContent, writeReceiptContent } from '#vendors/mail/contents.ts'
import type { EmailContent } from '#vendors/mail/layout.ts'
import { enqueueDeliveries } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { BetaFeedbackCreate, BetaFeedbackQuery, FeedbackCreate } from './schemas.ts'

export async function create({ db, config }: WriteContext, input: FeedbackCreate) {
  const { delivery_ids, ...feedback } = await queries.insertFeedback.one(
    db,
    input,
    config.FEEDBACK_EMAIL ?? null,
  )
  enqueueDeliveries(db, delivery_ids)
  return feedback
}

export async function createBeta({ db }: WriteContext, input: BetaFeedbackCreate) {
  return queries.insertBetaFeedback.one(db, input)
}

type AdminContext = Context<'get', 'account_or_super_admin', string>

/**
 * List beta feedback. Row-level security limits account admins to their account. Super admins read through
 * the `platform` connection.
 */
export async function listBeta({ db, platform, caller }: AdminContext, query: BetaFeedbackQuery & PageQuery) {
  const rows = (await queries.isSuperAdmin(db, caller.userId))
    ? await queries.selectBetaFeedback.all(platform, 'all_accounts', query)
    : await queries.selectBetaFeedback.all(db, 'own_account', query)
  return toPage(rows, query, latestIdFirst)
}

/**
 * Return the e-mail to the platform (`feedback`) or to the author (`feedback_receipt`). Return undefined for
 * deleted feedback.
 */
export async function getEmail(
  platform: PlatformDb,
  id: string,
  purpose: 'feedback' | 'feedback_receipt',
): Promise<(EmailContent & { replyTo?: string }) | undefined> {
  const feedback = await queries.selectFeedback(platform, id)
  if (!feedback) return undefined
  if (purpose === 'feedback_receipt') return writeReceiptContent(feedback)
  return { ...writeFeedbackContent(feedback), replyTo: feedback.email }
}
