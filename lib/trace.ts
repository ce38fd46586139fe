import { AsyncLocalStorage } from 'node:async_hooks'

// The trace id of the work that runs now. Promises and timers that the work starts keep it.
const current = new AsyncLocalStorage<string>()

/** Run work as a part of the trace that a `traceparent` header names, or of a new trace without a valid header. Return what it returns. */
export function runInTrace<T>(traceparent: string | null | undefined, work: () => T): T {
  return current.run(readTraceId(traceparent) ?? createHex(32), work)
}

/** Return the trace id of the work that runs now: 32 hexadecimal digits. Undefined outside `runInTrace`. */
export function getTraceId(): string | undefined {
  return current.getStore()
}

/** Return the `traceparent` header for a call to another service: https://www.w3.org/TR/trace-context/#traceparent-header */
export function createTraceparent(): string | undefined {
  const traceId = getTraceId()
  return traceId && `00-${traceId}-${createHex(16)}-01`
}

/** Return the trace id of a `traceparent` header, or undefined if it is not valid. A later version may have more fields. */
export function readTraceId(traceparent: string | null | undefined): string | undefined {
  const [, version, id] = /^([0-9a-f]{2})-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/.exec(traceparent ?? '') ?? []
  return version === 'ff' || id === '0'.repeat(32) ? undefined : id
}

function createHex(digits: number): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, digits)
}
