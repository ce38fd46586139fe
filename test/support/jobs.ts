import { emitEvent } from '#local/dashboard/emit-event.ts'
import { signMessage } from '#local/vendors/qstash/qstash-delivery.ts'
import type { Event } from '#rules/events/events.ts'
import type { Service } from './app.ts'
import { openTestDatabase } from './databases.ts'

const silentQueue = { async publish() {}, ping: async () => ({ isLimited: false }) }

/** Insert an event as the service does, but publish nothing to the queue. Return the delivery ids. */
export function emitWithoutPublishing(
  { settings }: Service,
  accountId: string,
  event: Event,
): Promise<string[]> {
  return emitEvent(openTestDatabase(settings.DATABASE_PLATFORM_URL), silentQueue, accountId, event)
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
export function postDeliveryJob(
  service: Service,
  deliveryId: string,
  attempt: number,
): Promise<{ status: number }> {
  return postSignedJob(service, '/jobs/notifications/deliver', { delivery_id: deliveryId, attempt })
}

/** Post a job message with the queue's signature. Return the response status. */
export async function postSignedJob(
  service: Service,
  path: string,
  message: unknown = {},
): Promise<{ status: number }> {
  const body = JSON.stringify(message)
  const signature = signMessage(
    service.settings.QSTASH_CURRENT_SIGNING_KEY ?? '',
    `${service.settings.PUBLIC_BASE_URL}${path}`,
    body,
  )
  const headers = { 'content-type': 'application/json', 'upstash-signature': signature }
  const response = await fetch(service.api + path, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return { status: response.status }
}
