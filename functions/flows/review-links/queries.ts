import { sql } from 'kysely'
import * as z from 'zod'
import { isAddressOf } from '#db/rows/address-hash.ts'
import { notNull, readStatement } from '#db/statement.ts'
import type { ReviewLink } from '#vendors/auth/review-tokens.ts'

/** Select the flow of a link, and whether its review waits for the user of the link. */
export const selectLinked = readStatement(
  z.object({
    name: z.string(),
    version: z.int(),
    due_on: z.string().nullable(),
    is_open: notNull<boolean>(),
    may_review: notNull<boolean>(),
    is_masked: notNull<boolean>(),
  }),
  ({ accountId, treeId, userId, addressHash, reviewedAt }: ReviewLink) => sql`
    select t.name, t.version, t.review_due_on::text as due_on,
           t.review_due_on is not null and app.iso(t.reviewed_at) is not distinct from ${reviewedAt} as is_open,
           coalesce(app.may_review(t, u), false) as may_review, app.masks_exports() as is_masked
      from trees t
      join accounts a on a.id = t.account_id and a.erasing_at is null
      left join users u on u.account_id = t.account_id and u.id = ${userId} and ${isAddressOf('u', addressHash)}
     where t.account_id = ${accountId} and t.id = ${treeId} and t.deleted_at is null`,
)
