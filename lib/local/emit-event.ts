import type { Database } from '../db/database.ts'
import type { Outbox } from '../db/outbox-entry.ts'
import { openAccountScope } from '../db/scope.ts'
import type { Event } from '../events/events.ts'
import { enqueueEvent } from '../outbox/events.ts'
import { toMessage } from '../outbox/messages.ts'
import { qstashQueue } from '../queue/qstash.ts'
import type { Message } from '../queue/queue.ts'

/** Write an event as the service does, publish its deliveries to QStash, and return their ids. */
export async function emitEvent(
  platform: Database,
  { QSTASH_URL = '', QSTASH_TOKEN = '', PUBLIC_BASE_URL = '' }: Record<string, string>,
  accountId: string,
  event: Event,
): Promise<string[]> {
  const messages: Message[] = []
  const ids: string[] = []
  const outbox: Outbox = (entry) => {
    if (entry.kind === 'live_event') return
    messages.push(toMessage(entry))
    ids.push(entry.id)
  }
  await enqueueEvent(openAccountScope(platform, accountId, event.actorId, outbox).db, event)
  // If publishing fails, the sweep publishes the deliveries later.
  await qstashQueue({ url: QSTASH_URL, token: QSTASH_TOKEN, target: PUBLIC_BASE_URL })
    .publish(messages)
    .catch(() => {})
  return ids
}
