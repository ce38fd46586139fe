import * as z from 'zod'
import type { StreamEvent } from '#vendors/realtime/subscriber.ts'

/** An event of an account in Redis. */
export interface StoredEvent extends StreamEvent {
  /** The id of the first event that was ever stored in the same stream. */
  firstId: number
}

const Entry = z.tuple([z.string().regex(/^\d{1,15}-\d+$/), z.array(z.string())])
const ReadReply = z.array(z.tuple([z.string(), z.array(Entry)])).nullable()

export type Entry = z.output<typeof Entry>

/** Parse the reply of XREAD: the entries of each key. Throw when it is something else. */
export function parseReadReply(reply: unknown): [key: string, entries: Entry[]][] {
  return ReadReply.parse(reply) ?? []
}

/** Parse the reply of XRANGE. Throw when it is something else. */
export function parseRangeReply(reply: unknown): StoredEvent[] {
  return toEvents(z.array(Entry).parse(reply))
}

export const readEntryId = ([id]: Entry): number => Number.parseInt(id, 10)

/** Convert entries to events. One that no publish wrote is left out. */
export function toEvents(entries: readonly Entry[]): StoredEvent[] {
  return entries.flatMap((entry) => {
    const [firstName, firstId, eventName, event, dataName, data] = entry[1]
    const isEvent = firstName === 'first' && eventName === 'event' && dataName === 'data'
    return isEvent && event && data ? [{ id: readEntryId(entry), firstId: Number(firstId), event, data }] : []
  })
}
