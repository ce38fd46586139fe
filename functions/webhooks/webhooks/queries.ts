import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, textArray } from '#db/expressions.ts'
import { newestFirst, type PageQuery, pageEnd, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { DueRow } from '#work/attempts.ts'
import {
  type DeliveryQuery,
  Webhook,
  type WebhookCreate,
  type WebhookDelivery,
  type WebhookReplay,
  WebhookTestResult,
  type WebhookUpdate,
} from './schemas.ts'

const webhookColumns = sql`
  w.id, w.url, w.description, w.events, w.is_active, w.disabled_reason, w.failures, w.failing_since,
  app.missed_audit_entries(w.account_id, w.id) as missed_audit_entries,
  case when w.previous_secret_until > app.now() then w.previous_secret_until end as previous_secret_until, w.created_at, w.updated_at`

export const selectWebhooks = readStatement(
  Webhook,
  (page: PageQuery) => sql`
    select ${webhookColumns} from webhooks w where w.account_id = app.account_id()
     ${pageEnd(newestFirst, page, 'w')}`,
)

export const selectWebhook = readStatement(
  Webhook,
  (id: string) =>
    sql`select ${webhookColumns} from webhooks w where w.account_id = app.account_id() and w.id = ${id}`,
)

/** Insert a webhook. `secret` is encrypted. */
export const insertWebhook = writeStatement(
  Webhook,
  ({ id, url, events, description, secret }: WebhookCreate & { id: string; secret: string }) => sql`
    insert into webhooks as w (id, url, events, description, secret)
    values (${id}, ${url}, ${textArray(events)}, ${description}, ${secret}) returning ${webhookColumns}`,
)

/**
 * Update the columns that are not undefined. Switching it off fails its open deliveries; switching it on
 * forgets its failures.
 */
export const updateWebhook = writeStatement(
  Webhook,
  (id: string, { url, events, description, is_active }: WebhookUpdate) => {
    const isActive = is_active ?? null
    // Of a webhook that is active already, the failures still count.
    const keepUnlessRestarted = (column: string, initial: RawBuilder<unknown>) =>
      sql`${sql.ref(column)} = case when ${isActive}::boolean and not w.is_active then ${initial} else w.${sql.ref(column)} end`
    return sql`
    with changed as (
      update webhooks w
         set url = coalesce(${url ?? null}, w.url), description = coalesce(${description ?? null}, w.description),
             events = coalesce(${events ? textArray(events) : null}::text[], w.events), is_active = coalesce(${isActive}, w.is_active),
             disabled_reason = case when ${isActive}::boolean is null then w.disabled_reason end,
             ${keepUnlessRestarted('failures', sql`0`)}, ${keepUnlessRestarted('failing_since', sql`null`)},
             ${keepUnlessRestarted('paused_until', sql`null`)}, updated_at = app.now()
       where w.account_id = app.account_id() and w.id = ${id} returning w.*
    ), failed as (
      update webhook_deliveries d
         set state = 'failed', leased_until = null, next_attempt_at = null, last_error = 'The webhook was switched off'
        from changed w
       where d.account_id = w.account_id and d.webhook_id = w.id and not w.is_active and d.state in ('pending', 'retrying'))
    select ${webhookColumns} from changed w`
  },
)

export async function deleteWebhook(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Replace the secret. The replaced one also signs for 24 hours; an older one no longer does. `secret` is
 * encrypted.
 */
export const rotateSecret = writeStatement(
  Webhook,
  (id: string, secret: string) => sql`
    update webhooks w set previous_secret = w.secret, previous_secret_until = app.now() + interval '24 hours', secret = ${secret}, updated_at = app.now()
     where w.account_id = app.account_id() and w.id = ${id} returning ${webhookColumns}`,
)

/** Insert a test message, which gets a single attempt. Return undefined for an unknown webhook. */
export const insertTest = writeStatement(
  z.object({ id: z.string() }),
  (webhookId: string, message: string, workId: string) => sql`
    insert into webhook_deliveries (id, webhook_id, message_id, type, subject, payload, max_attempts)
    select ${workId}::uuid, w.id, 'msg_' || replace(${workId}::text, '-', ''), 'webhook.test', w.id::text,
           json_build_object('type', 'webhook.test', 'timestamp', app.iso(app.now()),
                             'data', json_build_object('webhook_id', w.id, 'message', ${message}::text))::text, 1
      from webhooks w where w.account_id = app.account_id() and w.id = ${webhookId}
    on conflict (id) do update set max_attempts = 1 returning id`,
)

/** Select the result of a test message that was sent. */
export const selectTestResult = readStatement(
  WebhookTestResult,
  (id: string, accepted: string) => sql`
    select d.state = 'delivered' as success, coalesce(d.last_error, ${accepted}) as message, d.last_status_code as status, d.duration_ms
      from webhook_deliveries d where d.account_id = app.account_id() and d.id = ${id} and d.state in ('delivered', 'failed')`,
)

export function selectDeliveries(
  db: ReadDb,
  webhookId: string,
  { state, ...page }: DeliveryQuery & PageQuery,
) {
  let deliveries = db
    .selectFrom('webhook_deliveries')
    .select([
      'id',
      'webhook_id',
      'message_id',
      'type',
      'state',
      'attempts',
      'payload as request_body',
      'last_status_code',
      'response_body',
    ])
    .select(['last_error', 'duration_ms', 'last_attempt_at', 'next_attempt_at', 'delivered_at', 'created_at'])
    .where('account_id', '=', accountId)
    .where('webhook_id', '=', webhookId)
  if (state) deliveries = deliveries.where('state', '=', state)
  return deliveries.$call(selectPage(newestFirst, page)).$narrowType<{ type: WebhookDelivery['type'] }>()
}

/** Whether a delivery has failed and waits for its next attempt, which may be hours away. */
const waits = sql`(d.state = 'retrying' and d.attempts > 0 and coalesce(d.leased_until <= app.now(), true))`

/**
 * Make deliveries due again, also those that wait for their next attempt, with a new schedule of attempts. `is_known`: the webhook has the delivery. `due`
 * are the first ones; the others follow when these complete.
 */
export const replayDeliveries = writeStatement(
  z.object({ is_known: z.boolean(), queued: z.int(), due: z.custom<DueRow[]>() }),
  (webhookId: string, { delivery_id, failed_since }: WebhookReplay) => sql`
    with known as (
      select where ${delivery_id ?? null}::uuid is null or exists (
        select from webhook_deliveries d
         where d.account_id = app.account_id() and d.webhook_id = ${webhookId} and d.id = ${delivery_id ?? null}::uuid)
    ), webhook as (
      update webhooks w set last_replay_at = app.now(), paused_until = null from known
       where w.account_id = app.account_id() and w.id = ${webhookId} and w.is_active returning w.id
    ), reopened as (
      update webhook_deliveries d
         set state = 'retrying', earlier_attempts = d.attempts, max_attempts = d.attempts + 10, next_attempt_at = app.now(), leased_until = null,
             swept_at = null, delivered_at = null, replayed_at = app.now()
        from webhook w
       where d.account_id = app.account_id() and d.webhook_id = w.id and d.type <> 'webhook.test'
         and (d.replayed_at is null or d.replayed_at <= app.now() - interval '10 seconds')
         and case when ${delivery_id ?? null}::uuid is not null then d.id = ${delivery_id ?? null}::uuid and (d.state in ('delivered', 'failed') or ${waits})
                  else (d.state = 'failed' or ${waits}) and d.created_at >= ${failed_since ?? null}::timestamptz end
      returning d.id, d.attempts)
    select exists (select from known) as is_known,
           (select count(*)::integer from reopened) as queued,
           (select coalesce(jsonb_agg(r), '[]') from (select id, attempts from reopened order by id limit 4) r) as due`,
)
