import type { Attributes, Span, SpanKind } from '#trace.ts'

// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 }
const failedStatus = { code: 2 }

/**
 * Write the body of a call that exports spans, as JSON:
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function toTraceRequest(spans: readonly Span[], resource: Attributes): string {
  const scopeSpans = [{ scope: { name: 'support-flow' }, spans: spans.map(toSpan) }]
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans }],
  })
}

function toSpan({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  startedAt,
  endedAt,
  attributes,
  events,
  failed,
}: Span) {
  return {
    traceId,
    spanId,
    parentSpanId: parentSpanId || undefined,
    name,
    kind: kinds[kind],
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(endedAt),
    attributes: toAttributes(attributes),
    events: events.map((event) => ({
      name: event.name,
      timeUnixNano: toNanoseconds(event.at),
      attributes: toAttributes(event.attributes),
    })),
    status: failed ? failedStatus : undefined,
  }
}

/**
 * Write a time in milliseconds as nanoseconds. They do not fit into a number, so the microseconds are
 * rounded.
 */
function toNanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}

function toAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))
}

function toValue(value: string | number) {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
