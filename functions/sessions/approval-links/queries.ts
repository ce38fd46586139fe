import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { ApprovalLink } from '#vendors/auth/approval-tokens.ts'

/** Select the request of a link, if it still covers what the approver read. */
export const selectLinked = readStatement(
  z.object({
    session_id: z.string(),
    title: z.string(),
    requested_by_name: z.string(),
    is_open: z.boolean(),
    may_decide: z.boolean(),
  }),
  ({ accountId, approvalId, digest, userId }: ApprovalLink) => sql`
    select a.session_id, a.title, r.full_name as requested_by_name, a.state = 'pending' and a.expires_at > app.now() as is_open,
           coalesce(app.may_decide(a, u), false) as may_decide
      from approvals a
      join accounts c on c.id = a.account_id and c.erasing_at is null
      join users r on r.account_id = a.account_id and r.id = a.requested_by
      left join users u on u.account_id = a.account_id and u.id = ${userId}
     where a.account_id = ${accountId} and a.id = ${approvalId} and a.digest = ${digest}`,
)

/** Open the scope of an account for the current transaction of the platform connection. */
export const enterAccount = writeStatement(
  null,
  (accountId: string, userId: string) => sql`select from ${callFunction('app.enter_account', { p_account: accountId, p_actor: userId })}`,
)
