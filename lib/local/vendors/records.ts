import { randomUUID } from 'node:crypto'
import { type Clock, toTimestamp } from '#local/clock.ts'
import { getTraceId } from '#trace.ts'
import type { ChatTool } from '#vendors/chat/chat.ts'
import type { PhoneChannel, PhoneProvider } from '#vendors/phone/phone.ts'

interface Recorded {
  id: string
  at: string
  /** The trace of the request or job that caused it; null if it is unknown. */
  trace_id: string | null
}

/** A request to an emulated vendor, and the response. */
export interface RecordedCall extends Recorded {
  method: string
  path: string
  request: unknown
  status: number
  response: unknown
}

/** The record of each service. */
export interface RecordTypes {
  mail: Recorded & {
    from: string
    to: string[]
    reply_to: string[]
    subject: string
    html: string | null
    text: string | null
    headers: Record<string, string>
    idempotency_key: string | null
  }
  chat: Recorded & { tool: ChatTool; path: string; body: unknown; accepted: boolean }
  phone: Recorded & {
    provider: PhoneProvider
    kind: PhoneChannel
    to: string
    from: string | null
    /** What a message reads, or a call says. */
    text: string
    /** Why it was refused. */
    refused: string | undefined
  }
  queue: Recorded & {
    state: 'scheduled' | 'delivering' | 'delivered' | 'failed' | 'dead'
    url: string
    due_at: string
    attempts: number
    body: unknown
    last_status: number | null
    last_error: string | null
    /** The statuses that the forged deliveries of this message received. */
    forged_statuses: (number | null)[]
  }
  hooks: Recorded & {
    /** The last part of the address, which names the receiver. */
    name: string
    headers: Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
    /** The exact text. */
    body: string
    /** Whether the receiver answered 2xx. */
    accepted: boolean
    /** Unknown while the receivers have no secret. */
    signature: 'valid' | 'invalid' | 'unknown'
  }
  push: Recorded & {
    /** The id of the browser. */
    browser: string
    topic: string | null
    urgency: string | null
    ttl: number
    accepted: boolean
    /** Why the push service or the browser refused it. */
    refused: string | null
    /** What the browser has decrypted. */
    message: { title: string; body: string; url: string; topic: string } | null
  }
  ai: RecordedCall & {
    /** The name of the demanded schema. */
    task: string | null
    /**
     * Tokens, and what they cost at the default prices; null for a request that was refused, or whose answer
     * was cut off.
     */
    usage: { input: number; cached: number; output: number; cents: number } | null
  }
  psa: RecordedCall
  billing: RecordedCall
  analytics: RecordedCall
  /** Requests that followed a `redirect` fault. The service should never make one. */
  redirect: Recorded & { service: string; method: string; path: string; body: string }
}
export type RecordLists = { [S in RecordedService]: RecordTypes[S][] }

export type RecordedService = keyof RecordTypes
type NewRecord<S extends RecordedService> = Omit<RecordTypes[S], keyof Recorded> & Partial<Recorded>

export const recordedServices = [
  'mail',
  'chat',
  'phone',
  'queue',
  'hooks',
  'push',
  'ai',
  'psa',
  'billing',
  'analytics',
  'redirect',
] as const satisfies RecordedService[]
const maxRecords = 1000

/** Number of the items of a list, and the id of the newest. */
export interface ListSummary {
  count: number
  newest: string | null
}

export interface Records {
  /**
   * Add a record, with a new id, the current time and the current trace unless it has them. Return the stored
   * record, which the caller may change.
   */
  add<S extends RecordedService>(service: S, record: NewRecord<S>): RecordTypes[S]
  /** Return the records of a service, newest first. */
  list<S extends RecordedService>(service: S): RecordTypes[S][]
  summarize(service: RecordedService): ListSummary
  clear(service: RecordedService): void
}

/** Summarize a list whose newest item is the last. */
export function summarizeList(list: readonly { id: string }[]): ListSummary {
  return { count: list.length, newest: list.at(-1)?.id ?? null }
}

/** Create the records of what the local emulators received: the newest 1,000 of each service. */
export function createRecords(clock: Clock): Records {
  const recordsByService = new Map<RecordedService, unknown[]>(
    recordedServices.map((service) => [service, []]),
  )
  const getList = <S extends RecordedService>(service: S) => recordsByService.get(service) as RecordTypes[S][]
  return {
    add<S extends RecordedService>(service: S, record: NewRecord<S>) {
      const stored = {
        id: randomUUID(),
        at: toTimestamp(clock.now()),
        trace_id: getTraceId() ?? null,
        ...record,
      } as unknown as RecordTypes[S]
      const list = getList(service)
      list.push(stored)
      if (list.length > maxRecords) list.shift()
      return stored
    },
    list: (service) => getList(service).toReversed(),
    summarize: (service) => summarizeList(getList(service)),
    clear: (service) => void recordsByService.set(service, []),
  }
}
