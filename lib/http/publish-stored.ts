import type { OutboxEntry } from '#db/outbox-entry.ts'
import { openPlatformDb } from '#db/scope.ts'
import { publishEntries } from '#work/publish.ts'
import type { Services } from './app.ts'

/** Publish work that a committed transaction has stored. Whoever calls may ignore a failure: the sweep finds it. */
export async function publishStored(
  { ports, platform }: Services,
  entries: readonly OutboxEntry[],
): Promise<void> {
  await publishEntries({ ...ports, platform: openPlatformDb(platform, 'publishing', () => {}) }, entries)
}
