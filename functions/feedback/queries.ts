import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { latestIdFirst, type PageQuery, pageEnd } from '#db/page.ts'
import type { PlatformDb, ReadDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import {
  BetaFeedback,
  type BetaFeedbackCreate,
  type BetaFeedbackQuery,
  Feedback,
  type FeedbackCreate,
} from './schemas.ts'

/**
 * Insert feedback and its e-mail deliveries: a receipt to the author, and a copy to `recipient` unless it is
 * null.
 */
export const insertFeedback = writeStatement(
  Feedback.extend({ delivery_ids: z.array(z.string()) }),
  ({ subject, message, page_url }: FeedbackCreate, recipient: string | null) => sql`
    with f as (
      insert into feedback (subject, message, page_url) values (${subject}, ${message}, ${page_url ?? null}) returning *
    ), inserted_deliveries as (
      insert into deliveries (channel, recipient, purpose, feedback_id)
      select 'email', m.recipient, m.purpose, f.id
        from f, (select ${recipient}::text, 'feedback' union all select u.email, 'feedback_receipt' from users u where u.id = app.user_id()) m (recipient, purpose)
       where m.recipient is not null
      returning id
    )
    select f.id, f.subject, f.message, f.page_url, f.created_at, array(select id::text from inserted_deliveries) as delivery_ids from f`,
)

/** Return feedback with its author and account. */
export function selectFeedback(db: PlatformDb, id: string) {
  return db
    .selectFrom('feedback as f')
    .innerJoin('users as u', 'u.id', 'f.user_id')
    .innerJoin('accounts as a', 'a.id', 'f.account_id')
    .select([
      'f.id',
      'f.subject',
      'f.message',
      'f.page_url',
      'f.created_at',
      'u.full_name as author',
      'u.email',
      'a.name as account_name',
    ])
    .where('f.id', '=', id)
    .executeTakeFirst()
}

const betaColumns = sql`
  f.id, f.account_id, a.name as account_name, f.user_id, u.full_name as user_name, f.reaction, f.category, f.text, f.page_url,
  f.ai_session_id, f.created_at`
const joinAuthor = sql`join users u on u.account_id = f.account_id and u.id = f.user_id join accounts a on a.id = f.account_id`

export const insertBetaFeedback = writeStatement(
  BetaFeedback,
  ({ reaction, category, text, page_url, ai_session_id }: BetaFeedbackCreate) => sql`
    with f as (
      insert into beta_feedback (reaction, category, text, page_url, ai_session_id)
      values (${reaction}, ${category}, ${text}, ${page_url ?? null}, ${ai_session_id ?? null}::uuid) returning *
    )
    select ${betaColumns} from f ${joinAuthor}`,
)

/**
 * Return a page of beta feedback, newest first. Ids increase with time, so they define the order. Run it on
 * the caller's connection for `own_account` and on the `platform` connection for `all_accounts`.
 */
export const selectBetaFeedback = readStatement(
  BetaFeedback,
  (scope: 'own_account' | 'all_accounts', query: BetaFeedbackQuery & PageQuery) => {
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
    return sql`
    select ${betaColumns} from beta_feedback f ${joinAuthor}
     where ${sql.join([sql`true`, ...conditions], sql` and `)} ${pageEnd(latestIdFirst, query, 'f')}`
  },
)

export async function isSuperAdmin(db: ReadDb, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('is_super_admin')
    .where('id', '=', userId)
    .executeTakeFirst()
  return row?.is_super_admin ?? false
}
