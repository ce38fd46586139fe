import type { Log } from '#log.ts'
import type { Attributes, Span, Tracer } from '#trace.ts'
import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { toTraceRequest } from './trace-request.ts'

export interface OtlpSettings {
  /** Base address of the receiver; spans go to `/v1/traces` below it. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  /** Share of the traces that are recorded, from 0 to 1. */
  sampleRatio: number
  /** What the spans are of: https://opentelemetry.io/docs/specs/semconv/resource/ */
  resource: Attributes
  log: Log
}

// Spans that wait. Beyond it new ones are dropped, so that a receiver that is away costs a bounded amount of
// memory.
const maxWaiting = 2048
// A receiver may refuse a body above 4 MB; a span has about 600 bytes.
const maxPerCall = 512
const limits = { timeoutMs: 5000, maxBytes: 64 * 1024 }

/**
 * Create a tracer that sends spans with OTLP over HTTP as JSON:
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp. The caller decides when to flush. Spans that the
 * receiver did not accept are dropped and counted in a log line.
 */
export function createOtlpTracer({ endpoint, headers, sampleRatio, resource, log }: OtlpSettings): Tracer {
  let waitingSpans: Span[] = []
  let dropped = 0
  const fetchBounded = createBoundedFetch('telemetry', limits)
  const send = async (spans: readonly Span[]) => {
    const request = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: toTraceRequest(spans, resource),
    }
    const response = await fetchBounded(`${endpoint}/v1/traces`, request)
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The receiver answered ${response.status}`)
  }
  return {
    // The last digits of a trace id are random by W3C Trace Context.
    // https://opentelemetry.io/docs/specs/otel/trace/sdk/#traceidratiobased
    isSampled: (traceId) => Number.parseInt(traceId.slice(-8), 16) / 0x1_0000_0000 < sampleRatio,
    add(span) {
      if (waitingSpans.length < maxWaiting) waitingSpans.push(span)
      else dropped++
    },
    async flush() {
      // Spans that end while the call runs wait for the next flush.
      const spans = waitingSpans
      waitingSpans = []
      let sentCount = 0
      try {
        for (; sentCount < spans.length; sentCount += maxPerCall)
          await send(spans.slice(sentCount, sentCount + maxPerCall))
      } catch {
        // The rest would probably fail too, and a stop of the process waits for this.
        dropped += spans.length - sentCount
      }
      if (dropped > 0) log({ at: new Date().toISOString(), spans_dropped: dropped })
      dropped = 0
    },
  }
}
