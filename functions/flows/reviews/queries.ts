import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, mayChange, now, selectIds, userId } from '#db/expressions.ts'
import { review } from '#db/rows/trees.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { ReviewEvidence } from '#rules/flows/review.ts'
import type { ReviewUpdate } from './schemas.ts'

export function selectReview(db: ReadDb, id: string) {
  return db
    .selectFrom('trees as t')
    .select([review.as('review'), 't.status'])
    .where('t.account_id', '=', accountId)
    .where('t.id', '=', id)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Select what happened to flows of the account since their last reviews, or since they were first published.
 */
export const selectEvidence = readStatement(
  z.object({
    tree_id: z.string(),
    runs: z.int(),
    ended: z.int(),
    resolved: z.int(),
    replay: z.custom<ReviewEvidence['replay']>(),
  }),
  (ids: readonly string[]) => sql`
    select t.id as tree_id, s.runs, s.ended, s.resolved,
           (select v.replay from tree_versions v where v.account_id = t.account_id and v.tree_id = t.id and v.replay is not null
               and v.created_at >= coalesce(t.reviewed_at, t.published_at) order by v.version desc limit 1) as replay
      from trees t cross join lateral (
        select count(*)::integer as runs, (count(*) filter (where s.state in ('completed', 'abandoned')))::integer as ended,
               (count(*) filter (where s.outcome = 'resolved'))::integer as resolved
          from sessions s
         where s.account_id = app.account_id() and s.tree_id = t.id and s.started_at >= coalesce(t.reviewed_at, t.published_at)) s
     where t.account_id = app.account_id() and t.id in (${selectIds(ids)})`,
)

/** Select whether a user can own a flow of the account. */
export const selectMayOwn = readStatement(
  z.object({ may_own: notNull<boolean>() }),
  (id: string, ownerId: string) => sql`
    select exists (select from trees t join users u on u.account_id = t.account_id and u.id = ${ownerId}
                    where t.account_id = app.account_id() and t.id = ${id} and app.may_own(t, u)) as may_own`,
)

/** Change who reviews a flow, if the caller may change it. Return whether they may. */
export async function updateReview(
  db: WriteDb,
  id: string,
  { months: review_months, ...changes }: ReviewUpdate,
): Promise<boolean> {
  const row = await db
    .updateTable('trees')
    .set({ ...changes, review_months })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(mayChange('author_id', 'team_id'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Confirm that a published flow is right, as the user of the scope. Return no row if they may not, or if the
 * review is no longer the one that `reviewedAt` names: null for the first one, undefined for any.
 */
export const confirmReview = writeStatement(
  z.object({ id: z.string() }),
  (id: string, reviewedAt?: string | null) => sql`
    update trees t set reviewed_at = ${now}, reviewed_by = ${userId}
      from users u
     where t.account_id = app.account_id() and t.id = ${id} and t.deleted_at is null and t.status = 'published'
       and u.account_id = t.account_id and u.id = app.user_id() and app.may_review(t, u)
       and ${reviewedAt === undefined ? sql`true` : sql`t.review_due_on is not null and app.iso(t.reviewed_at) is not distinct from ${reviewedAt}`}
    returning t.id`,
)

/** Select the accounts with reviews that somebody is told of, the one that has waited longest first. */
export const selectAccountsWithDue = readStatement(
  z.object({ account_id: z.string() }),
  () => sql`
    select t.account_id from trees t join accounts a on a.id = t.account_id and a.erasing_at is null
     where t.review_notice_at <= app.now() group by t.account_id order by min(t.review_notice_at), t.account_id limit 500`,
)

const DueReview = z.object({
  tree_id: z.string(),
  name: z.string(),
  due_on: notNull<string>(),
  reviewed_at: z.string().nullable(),
  team_id: z.string().nullable(),
  /** Null for the admins of the team. */
  reviewer_id: z.string().nullable(),
})

/**
 * Take the reviews of the account that one owner, or the admins of one team, are told of now, the longest
 * overdue first, and plan the second notice a week later. A concurrent call waits for the rows, and finds
 * them planned.
 */
export const takeDue = writeStatement(
  DueReview,
  () => sql`
    with first as (
      select app.reviewer_of(t) as reviewer_id, t.team_id from trees t
       where t.account_id = app.account_id() and t.review_notice_at <= app.now() order by t.review_notice_at, t.id limit 1
    ), due as (
      select t.id, f.reviewer_id from first f join trees t on t.account_id = app.account_id() and t.review_notice_at <= app.now()
         and app.reviewer_of(t) is not distinct from f.reviewer_id and (f.reviewer_id is not null or t.team_id is not distinct from f.team_id)
       order by t.id for no key update of t
    ), taken as (
      update trees t set review_notices = t.review_notices + 1,
                         review_notice_at = case when t.review_notices = 0 then app.now() + interval '7 days' end
        from due d where t.account_id = app.account_id() and t.id = d.id
      returning t.id, t.name, t.review_due_on, t.reviewed_at, t.team_id, d.reviewer_id
    )
    select id as tree_id, name, review_due_on::text as due_on, reviewed_at, team_id, reviewer_id from taken order by review_due_on, id`,
)
