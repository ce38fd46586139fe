import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '../db/expressions.ts'
import type { PlatformDb, WriteDb } from '../db/scope.ts'
import { writeStatement } from '../db/statement.ts'
import { type Event, toAnnouncement } from '../events/events.ts'
import { enqueueDeliveries } from './deliveries.ts'

/** The row shape of `app.emit`. */
export const EmittedEvent = z.object({ delivery_ids: z.array(z.string()), user_ids: z.array(z.string()) })

/** Return a call of `app.emit` for an event. */
export function callEmit(event: Event): RawBuilder<unknown> {
  const { key, title, body, link, userIds, notifyAdmins, emailRecipients, escalation } = toAnnouncement(event)
  const users = `{${userIds.join(',')}}`
  return sql`app.emit(${key}, ${event.actorId}, ${event.teamId}, ${users}::uuid[], ${notifyAdmins}, ${emailRecipients},
    ${title}, ${body}, ${link}, ${event.causedById ?? event.actorId}, ${escalation ? jsonb(escalation) : null}::jsonb)`
}

export const emitEvent = writeStatement(EmittedEvent, (event: Event) => sql`select delivery_ids, user_ids from ${callEmit(event)}`)

/** Insert an event with its in-app notifications, and enqueue one delivery per matching config and e-mail. Return the notified users. */
export async function enqueueEvent(db: WriteDb | PlatformDb, event: Event): Promise<string[]> {
  const { delivery_ids, user_ids } = await emitEvent.one(db, event)
  enqueueDeliveries(db, delivery_ids)
  return user_ids
}
