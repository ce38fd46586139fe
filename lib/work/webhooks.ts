import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import type { Enqueues, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { WebhookEvent } from '#rules/events/webhook-keys.ts'
import type { WebhookData } from '#rules/events/webhook-schemas.ts'
import type { DueRow } from './attempts.ts'

/** An event that only webhooks receive. The other events reach them through `enqueueEvent`. */
export type WebhookOnlyEvent = {
  [T in Extract<WebhookEvent, 'flow.published' | 'schedule.run' | 'session.completed'>]: {
    type: T
    subject: string
    data: WebhookData<T>
  }
}['flow.published' | 'schedule.run' | 'session.completed']

/** The ids of the deliveries that a statement has inserted. */
export const EmittedWebhooks = z.object({ webhook_delivery_ids: z.array(z.string()) })

/** Return a call of `app.emit_webhook`. `data` is an SQL expression of type json. */
export function callEmitWebhook(
  type: WebhookOnlyEvent['type'],
  subject: RawBuilder<unknown>,
  data: RawBuilder<unknown>,
) {
  return callFunction('app.emit_webhook', { p_type: type, p_subject: subject, p_data: data })
}

export const emitWebhook = writeStatement(
  EmittedWebhooks,
  ({ type, subject, data }: WebhookOnlyEvent) => sql`
    select ${callEmitWebhook(type, sql`${subject}`, sql`${JSON.stringify(data)}::json`)} as webhook_delivery_ids`,
)

/**
 * Insert and enqueue one message per webhook of the account that wants the event, in the transaction of `db`.
 */
export async function enqueueWebhookEvent(db: WriteDb, event: WebhookOnlyEvent): Promise<void> {
  enqueueWebhooks(db, (await emitWebhook.one(db, event)).webhook_delivery_ids)
}

/** Enqueue the first attempts of messages that the transaction of `db` has stored. */
export function enqueueWebhooks(db: Enqueues, ids: readonly string[]): void {
  for (const id of ids) enqueueWebhook(db, id)
}

/** Enqueue an attempt of a message that the transaction of `db` has stored. */
export function enqueueWebhook(db: Enqueues, id: string, attempt = 1, delaySeconds?: number): void {
  db.outbox({ kind: 'webhook', id, attempt, delaySeconds })
}

/** Enqueue an attempt again that was enqueued before and had to wait. */
export function enqueueWaitingWebhook(db: Enqueues, { id, attempts }: DueRow): void {
  db.outbox({ kind: 'webhook', id, attempt: attempts + 1, isPostponed: true })
}
