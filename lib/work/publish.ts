import { settleAll } from '#async/settle-all.ts'
import type { OutboxEntry } from '#db/outbox-entry.ts'
import type { PlatformDb } from '#db/scope.ts'
import type { QueuePort } from '#vendors/queue/queue.ts'
import type { LiveEvent, RealtimePort } from '#vendors/realtime/realtime.ts'
import { publishLiveEvents } from './live-events.ts'
import { toMessage } from './messages.ts'

export interface PublishContext {
  platform: PlatformDb
  queue: QueuePort
  realtime: RealtimePort
}

/**
 * Publish the work that a request has stored: attempts to the queue in one call, live events to the streams
 * of their account. Throw if a part could not be published; the sweep publishes it later.
 */
export async function publishEntries(ctx: PublishContext, entries: readonly OutboxEntry[]): Promise<void> {
  const messages = entries.flatMap((entry) => (entry.kind === 'live_event' ? [] : toMessage(entry)))
  await settleAll([
    ...(messages.length > 0 ? [ctx.queue.publish(messages)] : []),
    ...[...groupLiveEvents(entries)].map(([accountId, events]) => publishLiveEvents(ctx, accountId, events)),
  ])
}

function groupLiveEvents(entries: readonly OutboxEntry[]): Map<string, LiveEvent[]> {
  const eventsByAccount = new Map<string, LiveEvent[]>()
  for (const entry of entries) {
    if (entry.kind !== 'live_event') continue
    const events = eventsByAccount.get(entry.accountId) ?? []
    eventsByAccount.set(entry.accountId, [...events, entry.event as LiveEvent])
  }
  return eventsByAccount
}
