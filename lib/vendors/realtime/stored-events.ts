import type { StreamEvent, StreamStart } from './subscriber.ts'

/** How many events of an account are stored for clients that reconnect. */
export const maxStoredEvents = 256
/**
 * How many keys of an account's events a hub remembers. An event whose row could not be deleted is published
 * again by a sweep, a minute later at the earliest, when a busy account has long had 256 others.
 */
export const maxStoredKeys = 4096

/** Return a Last-Event-ID as a number, or undefined if it is missing or malformed. */
export function parseEventId(lastEventId: string | null): number | undefined {
  return lastEventId && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined
}

/** The ids of an account's events, each one higher than the one before. */
export interface StoredIds {
  /** The id of the first event that was ever stored. It may be deleted by now. */
  firstId: number
  newestId: number
}

/**
 * Return what the stream of a client starts with that has received the events up to `after`. `missed` are the
 * stored events after it. An id before the first one is of an earlier store, whose events are unknown.
 */
export function startAfter(
  after: number,
  missed: readonly StreamEvent[],
  { firstId, newestId }: StoredIds,
): StreamStart {
  const nextId = missed[0]?.id ?? newestId + 1
  return { missed, after, lostCount: Math.max(0, nextId - Math.max(after, firstId - 1) - 1) }
}

/** Return what the stream of a new client starts with: no events, and then those after the newest. */
export function startWithNewEvents(newestId: number): StreamStart {
  return { missed: [], after: newestId, lostCount: 0 }
}
