import { randomUUID } from 'node:crypto'
import { type Clock, timestamp } from './clock.ts'

export interface Call {
  id: string
  at: string
  method: string
  path: string
  request: unknown
  status: number
  response: unknown
}

export interface DeskRecords {
  mail: {
    id: string
    at: string
    from: string
    to: string[]
    reply_to: string[]
    subject: string
    html: string | null
    text: string | null
    idempotency_key: string | null
  }
  chat: { id: string; at: string; tool: 1 | 2; path: string; body: unknown; accepted: boolean }
  queue: {
    id: string
    at: string
    state: 'scheduled' | 'delivering' | 'delivered' | 'failed' | 'dead'
    url: string
    due_at: string
    attempts: number
    body: unknown
    last_status: number | null
    last_error: string | null
    /** What the forged deliveries of this message were answered. */
    forged_statuses: (number | null)[]
  }
  ai: Call
  psa: Call
  billing: Call
  analytics: Call
  /** What followed a `redirect` fault: nothing should. */
  redirect: { id: string; at: string; service: string; method: string; path: string; body: string }
}
/** Every list of records, by service. */
export type DeskLists = { [S in DeskService]: DeskRecords[S][] }

export type DeskService = keyof DeskRecords
type Fresh<S extends DeskService> = Omit<DeskRecords[S], 'id' | 'at'> & { id?: string; at?: string }

export const deskServices = ['mail', 'chat', 'queue', 'ai', 'psa', 'billing', 'analytics', 'redirect'] as const satisfies DeskService[]
const limit = 1000

export interface Records {
  /** Stamps id and time where absent; answers the stored record, which its owner may go on changing. */
  add<S extends DeskService>(service: S, record: Fresh<S>): DeskRecords[S]
  /** Newest first. */
  list<S extends DeskService>(service: S): DeskRecords[S][]
  empty(service: DeskService): void
}

/** What the stand-ins were asked to do, the latest 1,000 of each service. */
export function createRecords(clock: Clock): Records {
  const kept = new Map<DeskService, unknown[]>(deskServices.map((service) => [service, []]))
  const listOf = <S extends DeskService>(service: S) => kept.get(service) as DeskRecords[S][]
  return {
    add<S extends DeskService>(service: S, record: Fresh<S>) {
      const stored = { id: randomUUID(), at: timestamp(clock.now()), ...record } as unknown as DeskRecords[S]
      const list = listOf(service)
      list.push(stored)
      if (list.length > limit) list.shift()
      return stored
    },
    list: (service) => listOf(service).toReversed(),
    empty: (service) => void kept.set(service, []),
  }
}
