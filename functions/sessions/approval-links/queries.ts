import { sql } from 'kysely'
import * as z from 'zod'
import { isAddressOf } from '#db/rows/address-hash.ts'
import { readStatement } from '#db/statement.ts'
import type { ApprovalLink } from '#vendors/auth/approval-tokens.ts'

/** Select the request of a link, if it still covers what the approver read. */
export const selectLinked = readStatement(
  z.object({
    session_id: z.string(),
    title: z.string(),
    /** The machine on which the script will run, and its client at the runner. */
    target: z.string().nullable(),
    client_name: z.string().nullable(),
    requested_by_name: z.string(),
    is_open: z.boolean(),
    may_decide: z.boolean(),
    is_masked: z.boolean(),
  }),
  ({ accountId, approvalId, digest, userId, addressHash }: ApprovalLink) => sql`
    select coalesce(a.session_id, a.ai_session_id) as session_id, a.title, a.target, a.client_name, r.full_name as requested_by_name, a.state = 'pending' and a.expires_at > app.now() as is_open,
           coalesce(app.may_decide(a, u), false) as may_decide, app.masks_exports() as is_masked
      from approvals a
      join accounts c on c.id = a.account_id and c.erasing_at is null
      join users r on r.account_id = a.account_id and r.id = a.requested_by
      left join users u on u.account_id = a.account_id and u.id = ${userId} and ${isAddressOf('u', addressHash)}
     where a.account_id = ${accountId} and a.id = ${approvalId} and a.digest = ${digest}`,
)
