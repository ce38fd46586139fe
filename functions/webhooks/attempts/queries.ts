import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { writeStatement } from '#db/statement.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import type { WebhookResult } from '#vendors/webhooks/webhooks.ts'
import { attemptTable, DueRow, isUnswept } from '#work/attempts.ts'

const webhookTable = attemptTable('webhook')

/** A delivery that a worker has leased for an attempt, with its webhook. The secrets are encrypted. */
export const ClaimedWebhook = z.object({
  id: z.string(),
  account_id: z.string(),
  webhook_id: z.string(),
  message_id: z.string(),
  type: z.string(),
  payload: z.string(),
  /** Whether the account masks what leaves. */
  is_masked: z.boolean(),
  attempts: z.int(),
  max_attempts: z.int(),
  earlier_attempts: z.int(),
  url: z.string(),
  secret: z.string(),
  /** The secret before the last rotation, while it is valid. */
  previous_secret: z.string().nullable(),
})
export type ClaimedWebhook = z.output<typeof ClaimedWebhook>

/**
 * Lease an attempt for 60 seconds. Return no row when it is already claimed or over, or when it must wait for
 * other attempts.
 */
export const claimAttempt = writeStatement(
  ClaimedWebhook,
  (id: string, attempt: number) => sql`
    with claimed as (${webhookTable.claim(id, attempt, sql`*`, sql`and app.may_attempt_webhook(webhook_deliveries)`)})
    select d.id, d.account_id, d.webhook_id, d.message_id, d.type, d.payload, app.masks_exports(d.account_id) as is_masked, d.attempts, d.max_attempts, d.earlier_attempts, w.url, w.secret,
           case when w.previous_secret_until > app.now() then w.previous_secret end as previous_secret
      from claimed d join webhooks w on w.account_id = d.account_id and w.id = d.webhook_id`,
)

export const CompletedWebhook = z.object({
  /** False when a later attempt was claimed, or when the webhook was deleted. */
  is_recorded: z.boolean(),
  /** Whether the webhook must be switched off. */
  is_over: z.boolean(),
  /**
   * Deliveries of the webhook that wait for this one. A test is not among them: its own request makes the
   * attempt.
   */
  next: z.custom<DueRow[]>(),
})

// After the third failure in a row no attempt starts for 20 seconds, then for 40, and so on up to 5 minutes.
const pause = sql`make_interval(secs => least(300, 5 * 2 ^ least(w.failures, 10)))`

/**
 * Lock the webhook and return the time. Whatever else changes both locks the webhook before its deliveries,
 * so nothing deadlocks: an expression is computed before the row is locked that it changes.
 */
const lockWebhook = ({ account_id, webhook_id }: ClaimedWebhook) =>
  sql`(select app.now() from webhooks w where w.account_id = ${account_id} and w.id = ${webhook_id} for no key update)`

/**
 * Record the result of an attempt in its delivery and, unless it is a test, in the webhook. `retrySeconds` is
 * null when no attempt follows.
 */
export const completeAttempt = writeStatement(
  CompletedWebhook,
  (claimed: ClaimedWebhook, result: WebhookResult, sendResult: SendResult, retrySeconds: number | null) => {
    const { id, account_id, webhook_id, type, payload, is_masked } = claimed
    const { ok, isGone, body, durationMs } = result
    // Only masking changes the payload, which may be large.
    const sent = is_masked ? sql`, payload = ${payload}` : sql``
    const log = sql`${sent}, response_body = ${body}, duration_ms = ${durationMs}, last_attempt_at = ${lockWebhook(claimed)}`
    return sql`
      with completed as (${webhookTable.complete(claimed, sendResult, retrySeconds, log)}),
      webhook as (
        update webhooks w
           set failures = case when ${ok} then 0 else w.failures + 1 end,
               failing_since = case when ${ok} then null else coalesce(w.failing_since, app.now()) end,
               paused_until = case when ${ok} or w.failures < 2 then null else app.now() + ${pause} end
          from completed
         where w.account_id = ${account_id} and w.id = ${webhook_id} and (not ${ok} or w.failures > 0) and ${type} <> 'webhook.test'
        returning w.*)
      select exists (select from completed) as is_recorded,
             coalesce((select is_active and (${isGone} or failing_since <= app.now() - interval '5 days') from webhook), false) as is_over,
             (select coalesce(jsonb_agg(n), '[]') from (
                select d.id, d.attempts from webhook_deliveries d
                 where d.account_id = ${account_id} and d.webhook_id = ${webhook_id} and d.state in ('pending', 'retrying') and d.id <> ${id}
                   and d.type <> 'webhook.test'
                   and d.next_attempt_at <= app.now() and (d.leased_until is null or d.leased_until <= app.now())
                   and not app.has_earlier_webhook(d, ${retrySeconds === null ? id : null})
                   and not exists (select from webhook where paused_until is not null)
                 order by d.id limit 2) n) as next`
  },
)

/** Switch a webhook off. Return the e-mails to its admins. */
export const disableWebhook = writeStatement(
  z.object({ delivery_ids: z.array(z.string()) }),
  ({ account_id, webhook_id }: ClaimedWebhook, reason: 'gone' | 'failing') => sql`
    select ${callFunction('app.disable_webhook', { p_account: account_id, p_webhook: webhook_id, p_reason: reason })} as delivery_ids`,
)

const isOpen = sql`d.account_id = w.account_id and d.webhook_id = w.id and d.state in ('pending', 'retrying')`

/**
 * Mark up to four due deliveries of each webhook as swept, oldest first, and each account's first before any
 * second one. The others follow when one of them completes. A paused webhook is left out, so its backlog costs
 * nothing.
 */
export const claimDueWebhooks = writeStatement(
  DueRow,
  (limit: number) => sql`
    with due as materialized (
      select d.account_id, d.id, row_number() over (partition by d.account_id order by d.id) as turn
        from webhooks w cross join lateral (
          select d.account_id, d.id from webhook_deliveries d
           where ${isOpen} and d.next_attempt_at <= app.now() - interval '5 seconds' and d.attempts < d.max_attempts
             and (d.leased_until is null or d.leased_until <= app.now()) and ${isUnswept} and not app.has_earlier_webhook(d, null)
           order by d.id limit 4 for update skip locked) d
       where w.is_active and (w.paused_until is null or w.paused_until <= app.now())
         and not exists (select from webhook_deliveries d where ${isOpen} and d.swept_at > app.now() - interval '60 seconds')
       order by turn, random() limit ${limit}),
    swept as (
      update webhook_deliveries q set swept_at = app.now() from due where q.account_id = due.account_id and q.id = due.id
      returning q.id, q.attempts, due.turn)
    select id, attempts from swept order by turn, random()`,
)

/** Fail the deliveries whose last attempt never reported a result. */
export const failAbandonedWebhooks = writeStatement(null, () => webhookTable.failAbandoned)

/** Delete up to `limit` deliveries that are older than the newest `kept` of their webhook. */
export const deleteOverflow = writeStatement(
  null,
  (kept: number, limit: number) => sql`
    delete from webhook_deliveries where id = any (array(
      select old.id from webhooks w cross join lateral (
        select d.id, d.state from webhook_deliveries d where d.account_id = w.account_id and d.webhook_id = w.id
         order by d.created_at desc, d.id desc offset ${kept}) old
       where old.state in ('delivered', 'failed') limit ${limit}))`,
)
