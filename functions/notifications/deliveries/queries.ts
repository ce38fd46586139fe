import { sql } from 'kysely'
import * as z from 'zod'
import { writeStatement } from '#db/statement.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable, DueRow } from '#work/attempts.ts'
import { ClaimedDelivery, selectClaimed } from '#work/claimed-deliveries.ts'

const deliveryTable = attemptTable('delivery')

const ClaimedMessage = ClaimedDelivery.extend({ channel: ClaimedDelivery.shape.channel.exclude(['email']) })
/** A delivery by a channel other than e-mail. */
export type ClaimedMessage = z.output<typeof ClaimedMessage>

/**
 * Lease attempt number `attempt` of a delivery for 60 seconds. Return no row when it is already claimed, the
 * delivery is finished, or it is an e-mail.
 */
export const claimAttempt = writeStatement(
  ClaimedMessage,
  (id: string, attempt: number) => sql`
    with claimed as (${deliveryTable.claim(id, attempt, sql`*`, sql`and channel <> 'email'`)}) ${selectClaimed(sql`claimed`)}`,
)

/**
 * Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later
 * attempt was claimed.
 */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedDelivery, result: SendResult, retrySeconds: number | null) =>
    deliveryTable.complete(claimed, result, retrySeconds),
)

/**
 * Make the next step of an alert due now, because all messages of the channel of this one have failed. Return the
 * deliveries to publish.
 */
export const hastenNextStep = writeStatement(
  z.object({ id: z.string() }),
  ({ id }: ClaimedDelivery) => sql`
    with failed as (select account_id, event_id, user_id, channel from deliveries where id = ${id}),
    later as (
      select n.id, n.next_attempt_at, min(n.next_attempt_at) over () as first_at
        from failed f join deliveries n on n.account_id = f.account_id and n.event_id = f.event_id and n.user_id = f.user_id
       where n.state = 'pending' and n.attempts = 0 and n.next_attempt_at > app.now()
         and not exists (select from deliveries o where o.account_id = f.account_id and o.event_id = f.event_id and o.user_id = f.user_id
                            and o.channel = f.channel and o.state <> 'failed')
    )
    update deliveries d set next_attempt_at = app.now() from later l where d.id = l.id and l.next_attempt_at = l.first_at returning d.id`,
)

/** Make an attempt due again that does not count. Return no row when a later attempt was claimed. */
export const postponeAttempt = writeStatement(
  z.object({ id: z.string() }),
  ({ id, attempts }: ClaimedDelivery, { status, error }: SendResult & { ok: false }, seconds: number) => sql`
    update deliveries set state = 'retrying', attempts = attempts - 1, leased_until = null, last_status_code = ${status}, last_error = ${error},
           next_attempt_at = app.now() + make_interval(secs => ${seconds})
     where id = ${id} and attempts = ${attempts} and state in ('pending', 'retrying') returning id`,
)

const claimedConfig = ({ id, webhook_url }: ClaimedDelivery) => sql`
  c.webhook_url = ${webhook_url} and exists (
    select from deliveries d where d.id = ${id} and d.account_id = c.account_id and d.config_id = c.id)`

/**
 * Mark the config of a delivery whose webhook no longer exists. Return no row if it is marked, or has another
 * webhook by now.
 */
export const markDisconnected = writeStatement(
  z.object({ id: z.string(), author_id: z.string().nullable() }),
  (claimed: ClaimedDelivery) => sql`
    update notification_configs c set disconnected_at = app.now()
     where c.account_id = app.account_id() and c.disconnected_at is null and ${claimedConfig(claimed)} returning c.id, c.set_up_by as author_id`,
)
/** Remove the mark, because the chat tool has accepted a message. */
export const markConnected = writeStatement(
  null,
  (claimed: ClaimedDelivery) => sql`
    update notification_configs c set disconnected_at = null where c.account_id = ${claimed.account_id} and ${claimedConfig(claimed)}`,
)

/** Mark due deliveries as swept, oldest first. */
export const claimDueDeliveries = writeStatement(DueRow, deliveryTable.claimDue)

/** Fail the deliveries whose last attempt never reported a result. */
export const failAbandonedDeliveries = writeStatement(null, () => deliveryTable.failAbandoned)
