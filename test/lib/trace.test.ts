import { describe, expect, it } from 'vitest'
import { createTraceparent, getTraceId, readTraceId, recordSpans, runInTrace } from '#trace.ts'

const id = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

it.each([
  [`00-${id}-${span}-01`, id],
  [`00-${id}-${span}-00`, id],
  [`cc-${id}-${span}-01-later-fields`, id],
  [`ff-${id}-${span}-01`, undefined],
  [`00-${'0'.repeat(32)}-${span}-01`, undefined],
  [`00-${id}-${'0'.repeat(16)}-01`, undefined],
  [`00-${id.toUpperCase()}-${span}-01`, undefined],
  [`00-${id}-01`, undefined],
  [`00-${id}-${span}-01\n`, undefined],
  ['x'.repeat(10_000), undefined],
  ['', undefined],
  [null, undefined],
])('reads the trace id of the traceparent %s', (traceparent, expected) => {
  expect(readTraceId(traceparent)).toBe(expected)
})

it('work that starts in a trace stays in it, and its calls have spans of their own', async () => {
  const readLater = async () => {
    await Promise.resolve()
    return [getTraceId(), createTraceparent(), createTraceparent()]
  }
  const [traceId, first, second] = await runInTrace(`00-${id}-${span}-01`, readLater)
  expect(traceId).toBe(id)
  expect([first, second]).toEqual([
    expect.stringMatching(`^00-${id}-[0-9a-f]{16}-01$`),
    expect.stringMatching(`^00-${id}-[0-9a-f]{16}-01$`),
  ])
  expect(new Set([first, second, `00-${id}-${span}-01`]).size).toBe(3)
})

it('work without a valid traceparent gets a trace of its own, and there is none outside', () => {
  const ids = ['', undefined].map((traceparent) => runInTrace(traceparent, getTraceId))
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)])
  expect(ids[0]).not.toBe(ids[1])
  expect([getTraceId(), createTraceparent()]).toEqual([undefined, undefined])
})

describe('the header of a trace', () => {
  const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)]
  it.each([
    [`00-${traceId}-${spanId}-00`, traceId],
    [`fe-${traceId}-${spanId}-01-more`, traceId],
    [`ff-${traceId}-${spanId}-01`, undefined],
    [`00-${'0'.repeat(32)}-${spanId}-01`, undefined],
    [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    [`00-${traceId}-${spanId}`, undefined],
    [`00-${traceId}-${spanId}-01x`, undefined],
    ['', undefined],
    [null, undefined],
  ])('%s names %s', (header, id) => expect(readTraceId(header)).toBe(id))
  it('says whether the trace is recorded', async () => {
    const tracer = (isSampled: boolean) => ({
      isSampled: () => isSampled,
      add: () => {},
      flush: async () => {},
    })
    const read = (isSampled: boolean) =>
      runInTrace(undefined, () => recordSpans(tracer(isSampled), async () => createTraceparent()))
    expect([
      createTraceparent(),
      runInTrace(undefined, () => createTraceparent()),
      await read(true),
      await read(false),
    ]).toEqual([
      undefined,
      expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      expect.stringMatching(/-01$/),
      expect.stringMatching(/-00$/),
    ])
  })
})
