import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '#config.ts'
import { describeStatements } from '#db/describe-statement.ts'
import { sampleSettings } from '#test/support/settings.ts'
import { startSpanReceiver } from '#test/support/span-receiver.ts'
import {
  addSpanEvent,
  createTraceparent,
  recordSpans,
  runInSpan,
  runInTrace,
  type Span,
  type Tracer,
} from '#trace.ts'
import { openTracer } from '#vendors/otlp/open-tracer.ts'
import { createOtlpTracer } from '#vendors/otlp/otlp-tracer.ts'
import { toTraceRequest } from '#vendors/otlp/trace-request.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${parentId}-01`

const receiver = await startSpanReceiver()
afterAll(() => receiver.close())
beforeEach(() => Object.assign(receiver, { status: 200, spans: [], bodies: [], calls: [] }))

const lines: Record<string, unknown>[] = []
const createTracer = (sampleRatio = 1) =>
  createOtlpTracer({
    endpoint: receiver.url,
    headers: {},
    sampleRatio,
    resource: {},
    log: (line) => lines.push(line),
  })
const trace = <T>(tracer: Tracer | undefined, work: () => Promise<T>) =>
  runInTrace(traceparent, () => recordSpans(tracer, work))

it('OBS-08 spans inside a span are its children, and calls name the span that makes them', async () => {
  const tracer = createTracer()
  const header = await trace(tracer, () =>
    runInSpan('outer', 'server', () =>
      runInSpan('inner', 'client', async (span) => {
        span.attributes.count = 2
        addSpanEvent('attempt', { outcome: 'succeeded' })
        return createTraceparent()
      }),
    ),
  )
  await tracer.flush()
  const [inner, outer] = receiver.spans
  expect(outer).toMatchObject({ name: 'outer', traceId, parentSpanId: parentId, kind: 2 })
  expect(inner).toMatchObject({
    name: 'inner',
    parentSpanId: outer?.spanId,
    kind: 3,
    attributes: [{ key: 'count', value: { intValue: '2' } }],
  })
  expect(inner?.events).toMatchObject([{ name: 'attempt' }])
  expect(header).toBe(`00-${traceId}-${inner?.spanId}-01`)
})

it('OBS-09 a span that fails has the name of the error only', async () => {
  const tracer = createTracer()
  const work = () => runInSpan('work', 'internal', () => Promise.reject(new RangeError('canary')))
  await expect(trace(tracer, work)).rejects.toThrow('canary')
  await tracer.flush()
  expect(receiver.spans).toMatchObject([
    { status: { code: 2 }, attributes: [{ key: 'error.type', value: { stringValue: 'RangeError' } }] },
  ])
  expect(receiver.bodies.join('').includes('canary')).toBe(false)
})

it('OBS-09 records no span of a trace that is not sampled, and says so to the services that it calls', async () => {
  const tracer = createTracer(0)
  const header = await trace(tracer, () => runInSpan('work', 'server', async () => createTraceparent()))
  await tracer.flush()
  expect(header).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  expect(receiver.calls).toEqual([])
  // The choice depends on the id alone, so that every process makes the same one: 0x0e0e4736 is 5.5 % of the
  // range.
  expect([createTracer(0.05), createTracer(0.06)].map((sampler) => sampler.isSampled(traceId))).toEqual([
    false,
    true,
  ])
})

it('OBS-09 keeps at most 2,048 spans, sends 512 per call, and drops what a receiver refuses', async () => {
  const tracer = createTracer()
  const span: Span = {
    ...{ traceId, spanId: parentId, parentSpanId: undefined, name: 'work', kind: 'internal' },
    ...{
      startedAt: 1_795_385_555_357.25,
      endedAt: 1_795_385_555_358,
      attributes: {},
      events: [],
      failed: false,
    },
  }
  for (let n = 0; n < 2100; n++) tracer.add(span)
  await tracer.flush()
  expect([receiver.calls.length, receiver.spans.length, lines.splice(0)]).toEqual([
    4,
    2048,
    [{ at: expect.any(String), spans_dropped: 52 }],
  ])
  expect(receiver.spans[0]).toMatchObject({
    startTimeUnixNano: '1795385555357250000',
    endTimeUnixNano: '1795385555358000000',
  })
  receiver.status = 503
  for (let n = 0; n < 600; n++) tracer.add(span)
  await tracer.flush()
  await tracer.flush()
  expect([receiver.calls.length, lines.splice(0)]).toEqual([
    5,
    [{ at: expect.any(String), spans_dropped: 600 }],
  ])
})

it('OBS-08 work without a tracer runs without a span', async () => {
  expect(await runInSpan('work', 'server', async ({ name }) => name)).toBe('work')
  expect(await trace(undefined, () => runInSpan('work', 'server', async () => createTraceparent()))).toMatch(
    /-01$/,
  )
})

it.each([
  [
    ['select app.enter($1, $2)', 'select * from "notifications" where id = $1'],
    'app.enter, select notifications',
  ],
  [['select * from app.list_notifications($1)'], 'app.list_notifications'],
  [['insert into psa_pushes (ticket_id) select $1'], 'insert into psa_pushes'],
  [['with due as (update "stream_events" set swept_at = app.now()) select 1'], 'update stream_events'],
  [["begin; select app.enter('secret')"], 'begin'],
  [['commit'], 'commit'],
])('OBS-09 the statements %j are named %s', (texts, name) => {
  expect(describeStatements(texts.map((sql) => ({ sql })))).toBe(name)
})

describe('the export of spans', () => {
  const span: Span = {
    ...{
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      parentSpanId: undefined,
      name: 'job',
      kind: 'consumer',
    },
    ...{
      startedAt: 1_790_000_000_000,
      endedAt: 1_790_000_000_001.5,
      attributes: { text: 'x', whole: 2, part: 0.5 },
    },
    ...{
      events: [{ name: 'attempt', at: 1_790_000_000_000, attributes: { outcome: 'failed' } }],
      failed: true,
    },
  }
  it('has their times in nanoseconds and the types of their attributes', () => {
    const { resourceSpans } = JSON.parse(
      toTraceRequest([span, { ...span, kind: 'internal', parentSpanId: 'c'.repeat(16), failed: false }], {
        'service.name': 'support-flow-service',
        'service.version': '1.2',
      }),
    )
    expect(resourceSpans[0].resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'support-flow-service' } },
      { key: 'service.version', value: { stringValue: '1.2' } },
    ])
    const [failed, succeeded] = resourceSpans[0].scopeSpans[0].spans
    expect(failed).toEqual({
      ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'job', kind: 5, status: { code: 2 } },
      ...{ startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000000001500000' },
      attributes: [
        { key: 'text', value: { stringValue: 'x' } },
        { key: 'whole', value: { intValue: '2' } },
        { key: 'part', value: { doubleValue: 0.5 } },
      ],
      events: [
        {
          ...{ name: 'attempt', timeUnixNano: '1790000000000000000' },
          attributes: [{ key: 'outcome', value: { stringValue: 'failed' } }],
        },
      ],
    })
    expect([succeeded.kind, succeeded.parentSpanId, 'status' in succeeded]).toEqual([
      1,
      'c'.repeat(16),
      false,
    ])
  })
  it.each([
    ['00000000', 0, false],
    ['00000000', 0.01, true],
    ['7fffffff', 0.5, true],
    ['80000000', 0.5, false],
    ['ffffffff', 1, true],
  ])('of a trace that ends with %s at the ratio %s: %s', (end, ratio, isSampled) => {
    const config = parseConfig({
      ...sampleSettings,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_TRACES_SAMPLER_ARG: String(ratio),
    })
    expect(openTracer(config, () => {})?.isSampled(`${'0'.repeat(24)}${end}`)).toBe(isSampled)
  })
  it('OBS-22 names the service and adds the attributes of the settings', async () => {
    const tracer = openTracer(
      parseConfig({
        ...sampleSettings,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_SERVICE_NAME: 'desk',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20b, service.name=other',
      }),
      () => {},
    )
    await trace(tracer, () => runInSpan('outer', 'server', async () => {}))
    await tracer?.flush()
    const { resourceSpans } = JSON.parse(receiver.bodies.join(''))
    const attributes: { key: string; value: { stringValue: string } }[] = resourceSpans[0].resource.attributes
    expect(Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))).toMatchObject({
      'deployment.environment.name': 'a b',
      'service.name': 'desk',
    })
  })
  it('is off without a receiver', () => {
    expect(
      openTracer(parseConfig({ ...sampleSettings, OTEL_EXPORTER_OTLP_ENDPOINT: undefined }), () => {}),
    ).toBeUndefined()
  })
})

it.each([
  ['select app.enter($1)', 'app.enter'],
  ['select * from app.find_key($1)', 'app.find_key'],
  ['with x as (select 1 from y) insert into "notifications" (a)', 'select y'],
  ['INSERT INTO "Trees" (a)', 'insert into trees'],
  ['update "trees" set a = 1', 'update trees'],
  ['delete from trees where a', 'delete from trees'],
  ['select a from trees', 'select trees'],
  ['begin read only', 'begin'],
  [' ?', 'statement'],
])('describes the statement %j as %j', (sql, text) => expect(describeStatements([{ sql }])).toBe(text))

it('describes at most eight statements', () => {
  expect(describeStatements(Array(9).fill({ sql: 'commit' }))).toBe(Array(8).fill('commit').join(', '))
})
