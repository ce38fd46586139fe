import { describe, expect, it } from 'vitest'
import { decideEvent, type EventHistory, type TimedEvent } from '#vendors/billing/decide-event.ts'

const earlier = '2026-11-21T09:29:59.000Z'
const at = '2026-11-21T09:30:00.000Z'
const later = '2026-11-21T09:30:01.000Z'

const event: TimedEvent = { id: 'evt_2', at, isFetched: false }
const after = (time: string, id = 'evt_1'): EventHistory => ({
  isReplayed: false,
  lastEvent: { id, at: time },
})

type Row = [description: string, history: EventHistory, event: Partial<TimedEvent>, decision: string]
const rows: Row[] = [
  ['applies the first event of a subscription', { isReplayed: false, lastEvent: null }, {}, 'newest'],
  ['applies a newer event', after(earlier), {}, 'newest'],
  ['does not apply an older event', after(later), {}, 'stale'],
  ['does not decide between two events of one second', after(at), {}, 'tie'],
  ['applies a fetched state of the same second', after(at), { isFetched: true }, 'newest'],
  ['does not apply a fetched state of an older event', after(later), { isFetched: true }, 'stale'],
  ['does not apply a repeated event', { isReplayed: true, lastEvent: null }, {}, 'replayed'],
  ['does not apply a repeated event of the same second', { ...after(at), isReplayed: true }, {}, 'replayed'],
  ['does not apply a repeated event that no account had yet', after(at, 'evt_2'), {}, 'replayed'],
]

describe('decideEvent', () => {
  it.each(rows)('%s', (_, history, fields, decision) => {
    expect(decideEvent(history, { ...event, ...fields })).toBe(decision)
  })
})
