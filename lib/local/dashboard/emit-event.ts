import type { Database } from '#db/database.ts'
import type { Outbox } from '#db/outbox-entry.ts'
import { openAccountScope } from '#db/scope.ts'
import type { Event } from '#rules/events/events.ts'
import type { Message, QueuePort } from '#vendors/queue/queue.ts'
import { enqueueEvent } from '#work/events.ts'
import { toMessage } from '#work/messages.ts'

/** Write an event as the service does, publish its deliveries, and return their ids. */
export async function emitEvent(
  platform: Database,
  queue: QueuePort,
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
  await queue.publish(messages).catch(() => {})
  return ids
}
