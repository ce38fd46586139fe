import { sql } from 'kysely'
import type { WriteDb } from '../db/scope.ts'
import type { QueuePort } from '../queue/queue.ts'
import { announce, type Event } from './events.ts'

/**
 * Writes an event, its in-app rows and one delivery per matching config in the transaction of `db`, and answers the deliveries' ids.
 * Publish them after the commit; those that are not, for whatever reason, are found by the sweep.
 */
export async function emit(db: Pick<WriteDb, 'getExecutor'>, event: Event): Promise<string[]> {
  const { key, title, body, link, userIds, admins, mailEach } = announce(event)
  const users = `{${userIds.join(',')}}`
  const { rows } = await sql<{ id: string }>`
    select id from app.emit(${key}, ${event.actorId}, ${event.teamId}, ${users}::uuid[], ${admins}, ${mailEach}, ${title}, ${body}, ${link}) id`.execute(
    db as WriteDb,
  )
  return rows.map((row) => row.id)
}

/** Tells the queue of first attempts. */
export async function publishDeliveries(queue: QueuePort, deliveryIds: string[]): Promise<void> {
  await queue.publish(deliveryIds.map((id) => deliveryMessage(id, 1)))
}

export const deliverPath = '/jobs/notifications/deliver'

/** The message of one attempt. Its id lets the queue drop a copy; the row lets the worker drop one that came all the same. */
export function deliveryMessage(id: string, attempt: number, delaySeconds = 0) {
  return { path: deliverPath, body: { delivery_id: id, attempt }, delaySeconds, deduplicationId: `${id}-${attempt}` } as const
}
