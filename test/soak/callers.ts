import { openWire } from '../../lib/db/client.ts'
import { openAccountScope } from '../../lib/db/scope.ts'
import type { Event } from '../../lib/events/events.ts'
import { emit } from '../../lib/events/outbox.ts'
import { sign } from '../../lib/local/qstash-delivery.ts'
import { type Answer, request, type Service } from '../support/app.ts'

/** How many call at the same moment. */
export const callers = 32

/** What `callers` get who all begin before any has ended. */
export function together<T>(call: (caller: number) => Promise<T>, count = callers): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, caller) => call(caller)))
}

/** Times each status was met, as `{200: 1, 401: 31}`. */
export function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** An address that nobody had: limits of public operations count by address. */
export function address(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(3))
  return `10.${bytes.join('.')}`
}

/** A public request from an address of its own. */
export function visit(service: Service, path: string, body: unknown, from = address()): Promise<Answer> {
  return request(service, 'POST', path, { body, headers: { 'cf-connecting-ip': from } })
}

/** Writes an event as the service does, without telling the queue: what happens next is the test's to do. */
export function emitQuietly(service: Service, accountId: string, event: Event): Promise<string[]> {
  const { DATABASE_PLATFORM_URL = '', NEON_HTTP_ENDPOINT } = service.settings
  const wire = openWire({ url: DATABASE_PLATFORM_URL, httpEndpoint: NEON_HTTP_ENDPOINT })
  return emit(openAccountScope(wire, accountId, event.actorId).db, event)
}

export function escalation(problemSummary: string, targetUserId: string | null = null): Event {
  const about = { sessionId: crypto.randomUUID(), engineerName: 'Robin Miller', psaTicketId: null }
  return { key: 'session.escalated', actorId: null, teamId: null, problemSummary, targetUserId, ...about }
}

/** The delivery message of one attempt, signed as the queue does; the status that it was answered. */
export function deliverByHand(service: Service, deliveryId: string, attempt: number): Promise<{ status: number }> {
  return jobByHand(service, '/jobs/notifications/deliver', { delivery_id: deliveryId, attempt })
}

/** A job's message, signed as the queue does. */
export async function jobByHand(service: Service, path: string, given: unknown = {}): Promise<{ status: number }> {
  const body = JSON.stringify(given)
  const signature = sign(service.settings.QSTASH_CURRENT_SIGNING_KEY ?? '', `${service.settings.PUBLIC_BASE_URL}${path}`, body)
  const headers = { 'content-type': 'application/json', 'upstash-signature': signature }
  const response = await fetch(service.api + path, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return { status: response.status }
}
