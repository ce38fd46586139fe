import { describe, expect, it } from 'vitest'
import { parseRangeReply, parseReadReply } from '#platform/node/streams-entries.ts'
import { parseEventId, startAfter, startWithNewEvents } from '#vendors/realtime/stored-events.ts'

describe('the live events in Redis', () => {
  const entry = (id: string, ...fields: string[]) => [id, fields]
  it('are read with their ids, and entries of another form are left out', () => {
    const reply = [
      entry('7-0', 'first', '5', 'event', 'a', 'data', '{}'),
      entry('8-0', 'x', '5', 'event', 'a', 'data', '{}'),
      entry('9-0', 'first', '5', 'x', 'a', 'data', '{}'),
      entry('10-0', 'first', '5', 'event', 'a', 'x', '{}'),
      entry('11-0', 'first', '5', 'event', '', 'data', '{}'),
      entry('12-0', 'first', '5', 'event', 'a', 'data', ''),
      entry('13-0'),
    ]
    expect(parseRangeReply(reply)).toEqual([{ id: 7, firstId: 5, event: 'a', data: '{}' }])
  })
  it('are none in an empty reply, and an error in another one', () => {
    expect(parseReadReply(null)).toEqual([])
    expect(parseReadReply([['k', [entry('7-0')]]])).toEqual([['k', [['7-0', []]]]])
    expect(() => parseReadReply('OK')).toThrow()
    expect(() => parseRangeReply([entry('x')])).toThrow()
  })
  it.each([
    ['12', 12],
    ['1'.repeat(15), Number('1'.repeat(15))],
    ['1'.repeat(16), undefined],
    ['1a', undefined],
    ['', undefined],
    [null, undefined],
  ])('after the id %j start at %j', (text, id) => expect(parseEventId(text)).toBe(id))
  it.each([
    [5, [6, 7], 1, 7, 0],
    [5, [7], 1, 7, 1],
    [5, [], 1, 5, 0],
    [5, [], 1, 8, 3],
    [0, [7], 5, 7, 2],
    [3, [5], 5, 5, 0],
    [9, [], 1, 5, 0],
  ])('after %i with %j stored since %i until %i miss %i', (after, ids, firstId, newestId, lostCount) => {
    const missed = ids.map((id) => ({ id, event: 'a', data: '{}' }))
    expect(startAfter(after, missed, { firstId, newestId })).toEqual({ missed, after, lostCount })
    expect(startWithNewEvents(newestId)).toEqual({ missed: [], after: newestId, lostCount: 0 })
  })
})
