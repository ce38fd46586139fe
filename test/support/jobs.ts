import type { Outbox } from '../../lib/db/outbox-entry.ts'
import { openAccountScope } from '../../lib/db/scope.ts'
import type { Event } from '../../lib/events/events.ts'
import { signMessage } from '../../lib/local/qstash-delivery.ts'
import { enqueueEvent } from '../../lib/outbox/events.ts'
import type { Service } from './app.ts'
import { openTestDatabase } from './databases.ts'

/** Insert an event as the service does, but publish nothing to the queue. Return the delivery ids. */
export async function emitWithoutPublishing(service: Service, accountId: string, event: Event): Promise<string[]> {
  const { DATABASE_PLATFORM_URL = '' } = service.settings
  const database = openTestDatabase(DATABASE_PLATFORM_URL)
  const ids: string[] = []
  const outbox: Outbox = (entry) => void (entry.kind === 'delivery' && ids.push(entry.id))
  await enqueueEvent(openAccountScope(database, accountId, event.actorId, outbox).db, event)
  return ids
}

/** Build a `session.escalated` event for a session that does not exist. */
export function escalationEvent(problemSummary: string, targetUserId: string | null = null): Event {
  return {
    key: 'session.escalated',
    actorId: null,
    teamId: null,
    sessionId: crypto.randomUUID(),
    engineerName: 'Robin Miller',
    problemSummary,
    psaTicketId: null,
    targetUserId,
  }
}

/** Post the queue's message for one delivery attempt. Return the response status. */
export function postDeliveryJob(service: Service, deliveryId: string, attempt: number): Promise<{ status: number }> {
  return postSignedJob(service, '/jobs/notifications/deliver', { delivery_id: deliveryId, attempt })
}

/** Post a job message with the queue's signature. Return the response status. */
export async function postSignedJob(service: Service, path: string, message: unknown = {}): Promise<{ status: number }> {
  const body = JSON.stringify(message)
  const signature = signMessage(service.settings.QSTASH_CURRENT_SIGNING_KEY ?? '', `${service.settings.PUBLIC_BASE_URL}${path}`, body)
  const headers = { 'content-type': 'application/json', 'upstash-signature': signature }
  const response = await fetch(service.api + path, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return { status: response.status }
}
