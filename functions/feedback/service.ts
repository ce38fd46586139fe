import { type PageQuery, toPage } from '../../lib/db/page.ts'
import type { PlatformDb } from '../../lib/db/scope.ts'
import { publishDeliveries } from '../../lib/events/outbox.ts'
import type { Context, Writer } from '../../lib/http/operation.ts'
import type { Letter } from '../../lib/mail/layout.ts'
import * as queries from './queries.ts'
import type { BetaFeedbackCreate, BetaFeedbackQuery, FeedbackCreate } from './schemas.ts'

export async function create({ db, config, queue, after }: Writer, input: FeedbackCreate) {
  const { delivery_ids, ...stored } = await queries.insertFeedback(db, input, config.FEEDBACK_EMAIL ?? null)
  after(() => publishDeliveries(queue, delivery_ids))
  return stored
}

export async function createBeta({ db }: Writer, input: BetaFeedbackCreate) {
  return queries.insertBeta(db, input)
}

type Admin = Context<'get', 'account_or_super_admin', string>

/** An account admin reads behind the policies of the account; only a super admin goes through the platform's door. */
export async function listBeta({ db, platform, caller }: Admin, query: BetaFeedbackQuery & PageQuery) {
  const rows = (await queries.isSuperAdmin(db, caller.userId))
    ? await queries.selectBeta(platform, 'all', query)
    : await queries.selectBeta(db, 'mine', query)
  return toPage(rows, query.limit)
}

/** What we read of somebody's feedback, or what its author gets as a receipt; undefined for one that is gone. */
export async function letterOf(
  platform: PlatformDb,
  id: string,
  purpose: 'feedback' | 'feedback_receipt',
): Promise<(Letter & { replyTo?: string }) | undefined> {
  const found = await queries.selectFeedback(platform, id)
  if (!found) return undefined
  const { subject, message, page_url, author, email, account_name } = found
  if (purpose === 'feedback_receipt') {
    return { subject: `We got your feedback: ${subject}`, paragraphs: [`Thank you, ${author}. This is what you wrote:`, message] }
  }
  const from = `${author} <${email}>, ${account_name}`
  return { subject: `Feedback: ${subject}`, paragraphs: [message, page_url ? `${from}\n${page_url}` : from], replyTo: email }
}
