import { sql } from 'kysely'
import type { WriteDb } from '../db/scope.ts'
import type { QueuePort } from '../queue/queue.ts'
import { type Event, toAnnouncement } from './events.ts'

/**
 * Write an event, its in-app rows and one delivery per matching config in the transaction of `db`. Return the ids of the deliveries.
 * The caller publishes them after the commit; otherwise the sweep does.
 */
export async function insertEvent(db: Pick<WriteDb, 'getExecutor'>, event: Event): Promise<string[]> {
  const { key, title, body, link, userIds, notifyAdmins, mailUsers } = toAnnouncement(event)
  const users = `{${userIds.join(',')}}`
  const { rows } = await sql<{ id: string }>`
    select id from app.emit(${key}, ${event.actorId}, ${event.teamId}, ${users}::uuid[], ${notifyAdmins}, ${mailUsers}, ${title}, ${body}, ${link}) id`.execute(
    db as WriteDb,
  )
  return rows.map((row) => row.id)
}

/** Publish the first attempt of each delivery. */
export async function publishDeliveries(queue: QueuePort, deliveryIds: string[]): Promise<void> {
  await queue.publish(deliveryIds.map((id) => deliveryMessage(id, 1)))
}

export const deliverPath = '/jobs/notifications/deliver'

/** Return the queue message of one attempt. The queue drops a copy by its id; the worker drops any other copy by the row's state. */
export function deliveryMessage(id: string, attempt: number, delaySeconds = 0) {
  return { path: deliverPath, body: { delivery_id: id, attempt }, delaySeconds, deduplicationId: `${id}-${attempt}` } as const
}
