import { sql } from 'kysely'
import * as z from 'zod'
import { writeStatement } from '#db/statement.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { abandonedAttemptError, DueRow } from '#work/attempts.ts'
import { ClaimedDelivery, channels, deliveryAttempts, selectClaimed } from '#work/claimed-deliveries.ts'

const ClaimedChatDelivery = ClaimedDelivery.extend({ channel: z.enum(channels).exclude(['email']) })
export type ClaimedChatDelivery = z.output<typeof ClaimedChatDelivery>

/**
 * Lease attempt number `attempt` of a delivery to a chat tool for 60 seconds. Return no row when it is already claimed, the delivery is
 * finished, or it is an e-mail.
 */
export const claimChatAttempt = writeStatement(
  ClaimedChatDelivery,
  (id: string, attempt: number) => sql`
    with claimed as (${deliveryAttempts.claim(id, attempt, sql`*`, sql`and channel <> 'email'`)}) ${selectClaimed(sql`claimed`)}`,
)

/** Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later attempt was claimed. */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedDelivery, result: SendResult, retrySeconds: number | null) => deliveryAttempts.complete(claimed, result, retrySeconds),
)

/** Mark due deliveries as swept, oldest first. */
export const claimDueDeliveries = writeStatement(DueRow, deliveryAttempts.claimDue)

/** Fail the deliveries whose last attempt never reported a result. */
export const failAbandonedDeliveries = writeStatement(
  null,
  () => sql`
    update deliveries set state = 'failed', leased_until = null, next_attempt_at = null, last_error = ${abandonedAttemptError}
     where ${deliveryAttempts.abandoned}`,
)
