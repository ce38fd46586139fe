import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * `server`: a request; `consumer`: a job; `client`: a call to the database or another service; `internal`:
 * anything else.
 */
export type SpanKind = 'client' | 'consumer' | 'internal' | 'server'
type AttributeValue = string | number
export type Attributes = Readonly<Record<string, AttributeValue>>

/**
 * A part of the work of a trace. Nothing in it is personal: names and attributes are declared ids, kinds and
 * numbers.
 */
export interface Span {
  traceId: string
  spanId: string
  /** The span that this one is a part of; it may belong to the caller or to an earlier process. */
  parentSpanId: string | undefined
  name: string
  kind: SpanKind
  /** Times in milliseconds since 1970. */
  startedAt: number
  endedAt: number
  attributes: Record<string, AttributeValue>
  events: { name: string; at: number; attributes: Attributes }[]
  failed: boolean
}

/** Where spans are sent. */
export interface Tracer {
  /** Return whether the spans of a trace are recorded. All services with the same ratio decide alike. */
  isSampled(traceId: string): boolean
  /** Store a span that has ended. */
  add(span: Span): void
  /** Send the stored spans. Never throws. */
  flush(): Promise<void>
}

/** What work may change of its span. */
export type OpenSpan = Pick<Span, 'name' | 'attributes' | 'failed'>

interface TraceState {
  traceId: string
  /** The span that new spans are part of. */
  spanId: string | undefined
  span?: Span
  tracer?: Tracer | undefined
  isSampled?: boolean
}

// The trace of the work that runs now. Promises and timers that the work starts keep it.
const currentTrace = new AsyncLocalStorage<TraceState>()

/**
 * Run work as a part of the trace that a `traceparent` header names, or of a new trace without a valid
 * header. Return what it returns.
 */
export function runInTrace<T>(traceparent: string | null | undefined, work: () => T): T {
  const [traceId, spanId] = parseTraceparent(traceparent) ?? [createHex(32), undefined]
  return currentTrace.run({ traceId, spanId }, work)
}

/** Run work whose spans go to `tracer`, if it samples the trace. Return what the work returns. */
export function recordSpans<T>(tracer: Tracer | undefined, work: () => Promise<T>): Promise<T> {
  const state = currentTrace.getStore()
  if (!tracer || !state || state.tracer) return work()
  const isSampled = tracer.isSampled(state.traceId)
  return currentTrace.run({ ...state, isSampled, ...(isSampled ? { tracer } : {}) }, work)
}

/**
 * Run work as a span of its own. The work may rename it and add attributes. Without a tracer only run the
 * work.
 */
export async function runInSpan<T>(
  name: string,
  kind: SpanKind,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  const state = currentTrace.getStore()
  const tracer = state?.tracer
  if (!state || !tracer) return work({ name, attributes: {}, failed: false })
  const span = startSpan(state, name, kind)
  const startedAt = performance.now()
  try {
    return await currentTrace.run({ ...state, spanId: span.spanId, span }, () => work(span))
  } catch (error) {
    span.failed = true
    span.attributes['error.type'] = error instanceof Error ? error.name : typeof error
    throw error
  } finally {
    span.endedAt = span.startedAt + performance.now() - startedAt
    tracer.add(span)
  }
}

function startSpan({ traceId, spanId }: TraceState, name: string, kind: SpanKind): Span {
  const startedAt = Date.now()
  const ids = { traceId, spanId: createHex(16), parentSpanId: spanId }
  return { ...ids, name, kind, startedAt, endedAt: startedAt, attributes: {}, events: [], failed: false }
}

/** Return whether the spans of the work that runs now are recorded. */
export function isTraced(): boolean {
  return currentTrace.getStore()?.tracer !== undefined
}

/** Add what happened to the span of the work that runs now. */
export function addSpanEvent(name: string, attributes: Attributes): void {
  currentTrace.getStore()?.span?.events.push({ name, at: Date.now(), attributes })
}

/** Return the trace id of the work that runs now: 32 hexadecimal digits. Undefined outside `runInTrace`. */
export function getTraceId(): string | undefined {
  return currentTrace.getStore()?.traceId
}

/**
 * Return the `traceparent` header for a call to another service or a job:
 * https://www.w3.org/TR/trace-context/#traceparent-header. It names the span that runs now; if no spans are
 * recorded, a new one.
 */
export function createTraceparent(): string | undefined {
  const state = currentTrace.getStore()
  if (!state) return undefined
  return `00-${state.traceId}-${state.span?.spanId ?? createHex(16)}-${state.isSampled === false ? '00' : '01'}`
}

/**
 * Return the trace id of a `traceparent` header, or undefined if it is not valid. A later version may have
 * more fields.
 */
export function readTraceId(traceparent: string | null | undefined): string | undefined {
  return parseTraceparent(traceparent)?.[0]
}

function parseTraceparent(
  traceparent: string | null | undefined,
): [traceId: string, spanId: string] | undefined {
  const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/
  const [, version, traceId, spanId] = pattern.exec(traceparent ?? '') ?? []
  return !traceId || !spanId || version === 'ff' || traceId === '0'.repeat(32) ? undefined : [traceId, spanId]
}

/** Return random digits. Two of a UUID are fixed, but none of the last eight, by which a trace is sampled. */
function createHex(digits: 16 | 32): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, digits)
}
