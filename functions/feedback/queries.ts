import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../lib/db/page.ts'
import type { PlatformDb, ReadDb, WriteDb } from '../../lib/db/scope.ts'
import type { BetaFeedback, BetaFeedbackCreate, BetaFeedbackQuery, Feedback, FeedbackCreate } from './schemas.ts'

/** Insert feedback with the deliveries of its e-mails: a receipt to the author and, for a `recipient`, a copy to the platform. */
export async function insertFeedback(db: WriteDb, { subject, message, page_url }: FeedbackCreate, recipient: string | null) {
  const { rows } = await sql<Feedback & { delivery_ids: string[] }>`
    with f as (
      insert into feedback (subject, message, page_url) values (${subject}, ${message}, ${page_url ?? null}) returning *
    ), inserted_deliveries as (
      insert into deliveries (channel, recipient, purpose, feedback_id)
      select 'email', m.recipient, m.purpose, f.id
        from f, (select ${recipient}::text, 'feedback' union all select u.email, 'feedback_receipt' from users u where u.id = app.user_id()) m (recipient, purpose)
       where m.recipient is not null
      returning id
    )
    select f.id, f.subject, f.message, f.page_url, f.created_at, array(select id::text from inserted_deliveries) as delivery_ids from f`.execute(
    db,
  )
  return rows[0] as Feedback & { delivery_ids: string[] }
}

/** Return feedback with its author and account. */
export async function selectFeedback(db: PlatformDb, id: string) {
  const { rows } = await sql<Feedback & { author: string; email: string; account_name: string }>`
    select f.id, f.subject, f.message, f.page_url, f.created_at, u.full_name as author, u.email, a.name as account_name
      from feedback f join users u on u.id = f.user_id join accounts a on a.id = f.account_id where f.id = ${id}`.execute(db)
  return rows[0]
}

const betaColumns = sql`
  f.id, f.account_id, a.name as account_name, f.user_id, u.full_name as user_name, f.reaction, f.category, f.text, f.page_url,
  f.ai_session_id, f.created_at`
const joinAuthor = sql`join users u on u.account_id = f.account_id and u.id = f.user_id join accounts a on a.id = f.account_id`

export async function insertBetaFeedback(db: WriteDb, { reaction, category, text, page_url, ai_session_id }: BetaFeedbackCreate) {
  const { rows } = await sql<BetaFeedback>`
    with f as (
      insert into beta_feedback (reaction, category, text, page_url, ai_session_id)
      values (${reaction}, ${category}, ${text}, ${page_url ?? null}, ${ai_session_id ?? null}::uuid) returning *
    )
    select ${betaColumns} from f ${joinAuthor}`.execute(db)
  return rows[0] as BetaFeedback
}

/**
 * Return a page of beta feedback, newest first. Ids increase with time, so they define the order. `db` must be the caller's connection for
 * `own_account` and the `platform` connection for `all_accounts`.
 */
export async function selectBetaFeedback(
  db: ReadDb | PlatformDb,
  scope: 'own_account' | 'all_accounts',
  query: BetaFeedbackQuery & PageQuery,
) {
  const optionalConditions: (RawBuilder<unknown> | false)[] = [
    scope === 'own_account' && sql`f.account_id = app.account_id()`,
    query.account_id !== undefined && sql`f.account_id = ${query.account_id}::uuid`,
    query.user_id !== undefined && sql`f.user_id = ${query.user_id}::uuid`,
    query.ai_session_id !== undefined && sql`f.ai_session_id = ${query.ai_session_id}::uuid`,
    query.reaction !== undefined && sql`f.reaction = ${query.reaction}`,
    query.category !== undefined && sql`f.category = ${query.category}`,
    query.created_after !== undefined && sql`f.created_at >= ${query.created_after}::timestamptz`,
    query.created_before !== undefined && sql`f.created_at < ${query.created_before}::timestamptz`,
  ]
  const conditions = optionalConditions.filter((condition) => condition !== false)
  const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``
  const { rows } = await sql<BetaFeedback>`
    select ${betaColumns} from beta_feedback f ${joinAuthor} ${where} order by f.id desc offset ${query.skip} limit ${query.limit + 1}`.execute(
    db as PlatformDb,
  )
  return rows
}

export async function isSuperAdmin(db: ReadDb, userId: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('is_super_admin').where('id', '=', userId).executeTakeFirst()
  return row?.is_super_admin ?? false
}
