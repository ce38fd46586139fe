import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '../../../lib/db/expressions.ts'
import { readStatement, writeStatement } from '../../../lib/db/statement.ts'
import type { SendResult } from '../../../lib/net/send-result.ts'
import { abandonedAttemptError, attemptTable, DueRow } from '../../../lib/outbox/attempts.ts'

/** A delivery that a worker has leased for an attempt, with everything that sending it needs. */
export const ClaimedDelivery = z.object({
  id: z.string(),
  account_id: z.string(),
  channel: z.enum(['chat1_webhook', 'chat2_webhook', 'email']),
  attempts: z.int(),
  max_attempts: z.int(),
  recipient: z.string().nullable(),
  purpose: z
    .enum([
      'verify_email',
      'reset_password',
      'invite',
      'sales_lead',
      'feedback',
      'feedback_receipt',
      'second_factor_added',
      'second_factor_removed',
    ])
    .nullable(),
  user_id: z.string().nullable(),
  invite_id: z.string().nullable(),
  sales_lead_id: z.string().nullable(),
  feedback_id: z.string().nullable(),
  account_name: z.string(),
  sender_name: z.string().nullable(),
  config_author: z.string().nullable(),
  mails: z.int(),
  webhook_url: z.string().nullable(),
  email_addresses: z.array(z.string()).nullable(),
  title: z.string().nullable(),
  body: z.string().nullable(),
  link: z.string().nullable(),
})
export type ClaimedDelivery = z.output<typeof ClaimedDelivery>

const deliveryAttempts = attemptTable('deliveries', { initial: 'pending', done: 'delivered', doneAt: 'delivered_at' })

/** Lease attempt number `attempt` of a delivery for 60 seconds. Return no row when it is already claimed or the delivery is finished. */
export const claimAttempt = writeStatement(
  ClaimedDelivery,
  (id: string, attempt: number) => sql`
    with claimed as (${deliveryAttempts.claim(id, attempt, sql`*`)})
    select d.id, d.account_id, d.channel, d.attempts, d.max_attempts, d.recipient, d.purpose, d.user_id, d.invite_id,
           d.sales_lead_id, d.feedback_id, c.webhook_url, c.email_addresses, e.title, e.body, e.link, d.mails, a.name as account_name, sender.full_name as sender_name,
           author.full_name as config_author
      from claimed d
      join accounts a on a.id = d.account_id
      left join notification_configs c on c.account_id = d.account_id and c.id = d.config_id
      left join events e on e.account_id = d.account_id and e.id = d.event_id
      left join users sender on sender.account_id = d.account_id and sender.id = coalesce(e.caused_by, e.actor_id)
      left join users author on author.account_id = d.account_id and author.id = c.set_up_by`,
)

const Recipient = z.object({ address: z.string(), address_hash: z.string(), is_member: z.boolean(), is_unsubscribed: z.boolean() })
export type Recipient = z.output<typeof Recipient>

/**
 * Select what sending needs to know of each address, in their order. Only a member who has verified the address is known to own it.
 * `address_hash` is in hex.
 */
export const selectRecipients = readStatement(
  Recipient,
  (accountId: string, addresses: readonly string[]) => sql`
    select a.address, encode(app.address_hash(a.address), 'hex') as address_hash,
           exists (select from users u where lower(u.email) = lower(a.address) and u.account_id = ${accountId}::uuid
                                         and u.is_active and u.email_verified_at is not null) as is_member,
           exists (select from mail_suppressions s where s.address_hash = app.address_hash(a.address)) as is_unsubscribed
      from jsonb_array_elements_text(${jsonb(addresses)}) with ordinality a (address, n) order by a.n`,
)

/** Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later attempt was made. */
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

export const insertOneTimeToken = writeStatement(
  null,
  (token: { hash: string; userId: string; purpose: string; lifetime: string }) => sql`
    insert into one_time_tokens (hash, user_id, purpose, expires_at)
    values (${token.hash}::bytea, ${token.userId}, ${token.purpose}, app.now() + ${token.lifetime}::interval)`,
)

/** Insert a code for an open invite. Return the names for its e-mail, or undefined when the invite is not open. */
export const insertInviteCode = writeStatement(
  z.object({ account_name: z.string(), inviter_name: z.string().nullable() }),
  (inviteId: string, hash: string) => sql`
    with open_invite as (
      select i.id, a.name as account_name, u.full_name as inviter_name from invites i join accounts a on a.id = i.account_id
        left join users u on u.id = i.invited_by where i.id = ${inviteId} and app.is_open(i)
    ), inserted_code as (
      insert into invite_codes (hash, invite_id) select ${hash}::bytea, id from open_invite
    )
    select account_name, inviter_name from open_invite`,
)
