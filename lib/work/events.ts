import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import type { Enqueues, PlatformDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { type Announcement, type Event, toAnnouncement } from '#rules/events/events.ts'
import { toWebhookContent } from '#rules/events/webhook-messages.ts'
import { release } from '#rules/release.ts'
import { enqueueDeliveries } from './deliveries.ts'
import { EmittedWebhooks, enqueueWebhooks } from './webhooks.ts'

/** The row shape of `app.emit`. */
export const EmittedEvent = EmittedWebhooks.extend({
  delivery_ids: z.array(z.string()),
  user_ids: z.array(z.string()),
})
export type EmittedEvent = z.output<typeof EmittedEvent>

/** Return the stored texts of an announcement as JSON. */
const toTexts = ({ title, body, escalation, approval, review }: Announcement): string =>
  JSON.stringify({ title, body, escalation, approval, review })

/**
 * Announce an event, with the stored texts as they are and, if that makes a difference, masked. The database
 * chooses by the preference of the account, so that no caller of this can forget it.
 */
export function announce(event: Event) {
  const announcement = toAnnouncement(event)
  const [texts, masked] = [toTexts(announcement), toTexts(toAnnouncement(release(event, true)))]
  return { ...announcement, texts, masked: masked === texts ? null : masked }
}

/** Return a call of `app.emit` for an event. */
export function callEmit(event: Event): RawBuilder<unknown> {
  const { key, texts, masked, link, userIds, notifyAdmins, emailRecipients } = announce(event)
  return callFunction('app.emit', {
    p_key: key,
    p_actor: event.actorId,
    p_team: event.teamId,
    p_users: userIds,
    p_admins: notifyAdmins,
    p_mailed: emailRecipients === true ? null : emailRecipients || [],
    p_texts: texts,
    p_masked: masked,
    p_link: link,
    p_cause: event.causedById ?? event.actorId,
    p_webhook: JSON.stringify(toWebhookContent(event)),
  })
}

export const emitEvent = writeStatement(
  EmittedEvent,
  (event: Event) => sql`select delivery_ids, user_ids, webhook_delivery_ids from ${callEmit(event)}`,
)

/**
 * Insert an event with its in-app notifications, and enqueue one delivery per matching config, e-mail and
 * webhook. Return the notified users.
 */
export async function enqueueEvent(db: WriteDb | PlatformDb, event: Event): Promise<string[]> {
  const emitted = await emitEvent.one(db, event)
  enqueueEmitted(db, emitted)
  return emitted.user_ids
}

/** Enqueue the deliveries of an event that the transaction of `db` has stored. */
export function enqueueEmitted(db: Enqueues, { delivery_ids, webhook_delivery_ids }: EmittedEvent): void {
  enqueueDeliveries(db, delivery_ids)
  enqueueWebhooks(db, webhook_delivery_ids)
}
