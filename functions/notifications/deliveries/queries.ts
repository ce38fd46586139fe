import { sql } from 'kysely'
import type { PlatformDb } from '../../../lib/db/scope.ts'
import type { SendResult } from '../../../lib/net/send-result.ts'
import { abandonedAttemptError, attemptStatements } from '../../../lib/queue/attempts.ts'

/** A delivery that a worker has leased for an attempt, with everything that sending it needs. */
export interface ClaimedDelivery {
  id: string
  account_id: string
  channel: 'chat1_webhook' | 'chat2_webhook' | 'email'
  attempts: number
  max_attempts: number
  recipient: string | null
  purpose: 'verify_email' | 'reset_password' | 'invite' | 'sales_lead' | 'feedback' | 'feedback_receipt' | null
  user_id: string | null
  invite_id: string | null
  sales_lead_id: string | null
  feedback_id: string | null
  webhook_url: string | null
  email_addresses: string[] | null
  title: string | null
  body: string | null
  link: string | null
}

const deliveryAttempts = attemptStatements('deliveries', { initial: 'pending', done: 'delivered', doneAt: 'delivered_at' })

/** Lease attempt number `attempt` of a delivery for 60 seconds. Return undefined when it is already claimed or the delivery is finished. */
export async function claimAttempt(db: PlatformDb, id: string, attempt: number): Promise<ClaimedDelivery | undefined> {
  const { rows } = await sql<ClaimedDelivery>`
    with claimed as (${deliveryAttempts.claim(id, attempt)})
    select d.id, d.account_id, d.channel, d.attempts, d.max_attempts, d.recipient, d.purpose, d.user_id, d.invite_id,
           d.sales_lead_id, d.feedback_id, c.webhook_url, c.email_addresses, e.title, e.body, e.link
      from claimed d
      left join notification_configs c on c.account_id = d.account_id and c.id = d.config_id
      left join events e on e.account_id = d.account_id and e.id = d.event_id`.execute(db)
  return rows[0]
}

/** Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return false when a later attempt was made. */
export async function recordAttempt(
  db: PlatformDb,
  claimed: ClaimedDelivery,
  result: SendResult,
  retrySeconds: number | null,
): Promise<boolean> {
  return (await deliveryAttempts.record(claimed, result, retrySeconds).execute(db)).rows.length > 0
}

export const selectDueDeliveries = deliveryAttempts.selectDue

/** Fail the deliveries whose last attempt never reported a result. */
export async function failAbandonedDeliveries(db: PlatformDb): Promise<void> {
  await sql`
    update deliveries set state = 'failed', leased_until = null, next_attempt_at = null, last_error = ${abandonedAttemptError}
     where ${deliveryAttempts.abandoned}`.execute(db)
}

export async function insertOneTimeToken(
  db: PlatformDb,
  token: { hash: string; userId: string; purpose: string; lifetime: string },
): Promise<void> {
  await sql`
    insert into one_time_tokens (hash, user_id, purpose, expires_at)
    values (${token.hash}::bytea, ${token.userId}, ${token.purpose}, app.now() + ${token.lifetime}::interval)`.execute(db)
}

/** Insert a code for an open invite. Return the names for its e-mail, or undefined when the invite is not open. */
export async function insertInviteCode(db: PlatformDb, inviteId: string, hash: string) {
  const { rows } = await sql<{ account_name: string; inviter_name: string | null }>`
    with open_invite as (
      select i.id, a.name as account_name, u.full_name as inviter_name from invites i join accounts a on a.id = i.account_id
        left join users u on u.id = i.invited_by where i.id = ${inviteId} and app.is_open(i)
    ), inserted_code as (
      insert into invite_codes (hash, invite_id) select ${hash}::bytea, id from open_invite
    )
    select account_name, inviter_name from open_invite`.execute(db)
  return rows[0]
}
