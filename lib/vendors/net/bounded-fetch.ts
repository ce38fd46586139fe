import { record, toStatusClass } from '#metrics.ts'
import { createTraceparent, runInSpan } from '#trace.ts'

/** What one call may take. */
export interface FetchLimits {
  /** Time until the end of the body, in milliseconds. */
  timeoutMs: number
  /** Size of the body after decompression. */
  maxBytes: number
}

/** Thrown when a body is longer than allowed, or has more parts. */
export class AnswerTooLongError extends RangeError {
  constructor(limit: number, unit = 'bytes') {
    super(`The answer is longer than ${limit} ${unit}`)
    this.name = 'AnswerTooLongError'
  }
}

/** What kind of service is called: a label of metrics, so never a host. */
export type Vendor =
  | 'ai'
  | 'analytics'
  | 'articles'
  | 'billing'
  | 'chat'
  | 'dns'
  | 'identity'
  | 'link'
  | 'mail'
  | 'mcp'
  | 'objects'
  | 'phone'
  | 'psa'
  | 'queue'
  | 'runner'
  | 'telemetry'
  | 'web_push'
  | 'webhook'

/** Sends one call. A vendor's client takes it as its `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Create a `fetch` for calls to other services. It follows no redirect, and ends a call whose body takes too
 * long or is too large, however slowly it arrives. The call carries the trace of the work that makes it, and
 * counts in its metrics. Reading such a body rejects with a TimeoutError or AnswerTooLongError.
 */
export function createBoundedFetch(vendor: Vendor, { timeoutMs, maxBytes }: FetchLimits): Fetch {
  return async (input, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
    const response = await measureCall(vendor, () =>
      fetch(input, { ...init, headers: toHeaders(input, init), redirect: 'manual', signal }),
    )
    if (!response.body) return response
    if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
      await response.body.cancel()
      throw new AnswerTooLongError(maxBytes)
    }
    return new Response(response.body.pipeThrough(limitBody(maxBytes, signal)), response)
  }
}

async function measureCall(vendor: Vendor, call: () => Promise<Response>): Promise<Response> {
  const startedAt = performance.now()
  let outcome = 'failed'
  try {
    const response = await traceCall(vendor, call)
    outcome = toStatusClass(response.status)
    return response
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') outcome = 'timeout'
    throw error
  } finally {
    record('calls', { vendor, outcome })
    record('callDuration', { vendor }, (performance.now() - startedAt) / 1000)
  }
}

// The address is left out: that of a webhook belongs to an account, and may contain a secret.
function traceCall(vendor: Vendor, call: () => Promise<Response>): Promise<Response> {
  return runInSpan(`call ${vendor}`, 'client', async (span) => {
    const response = await call()
    Object.assign(span.attributes, { 'peer.service': vendor, 'http.response.status_code': response.status })
    span.failed = response.status >= 500
    return response
  })
}

/**
 * Return the headers of a call with the trace that it belongs to, and with our name: workerd sends none, and
 * proxies of some vendors refuse who has none.
 */
function toHeaders(input: string | URL | Request, init: RequestInit): Headers {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
  if (!headers.has('user-agent')) headers.set('user-agent', 'SupportFlow/1')
  const traceparent = createTraceparent()
  if (traceparent) headers.set('traceparent', traceparent)
  return headers
}

function limitBody(maxBytes: number, signal: AbortSignal): TransformStream<Uint8Array, Uint8Array> {
  let receivedBytes = 0
  return new TransformStream({
    start(controller) {
      // Node holds a signal without listeners weakly, and may forget it while the body still arrives.
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true })
    },
    transform(chunk, controller) {
      receivedBytes += chunk.byteLength
      if (receivedBytes > maxBytes) controller.error(new AnswerTooLongError(maxBytes))
      else controller.enqueue(chunk)
    },
  })
}
