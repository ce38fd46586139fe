// After two failures in a row the next calls use the fallback for this long, without waiting for the same
// time-out.
const pauseMs = 5000
const failuresBeforePause = 2
/**
 * A call that opens a connection may take this many times as long: from a far region, TCP and TLS take three
 * round trips before it.
 */
export const firstCallFactor = 4
// Runtimes close a connection that is idle for about this long.
const connectionIdleMs = 30_000

/** Decides whether a server is called, and how long a call waits for it. */
export interface Availability {
  /** False for 5 s after two failures in a row. */
  isAvailable(): boolean
  /**
   * Whether the next call probably opens a connection, so that its time-out is `firstCallFactor` times as
   * long.
   */
  needsConnection(): boolean
  recordSuccess(): void
  recordFailure(): void
}

export function createAvailability(): Availability {
  let failures = 0
  let pausedUntil = 0
  let lastSuccessAt = Number.NEGATIVE_INFINITY
  return {
    isAvailable: () => pausedUntil <= Date.now(),
    needsConnection: () => lastSuccessAt + connectionIdleMs <= Date.now(),
    recordSuccess() {
      failures = 0
      lastSuccessAt = Date.now()
    },
    recordFailure() {
      failures++
      if (failures >= failuresBeforePause) pausedUntil = Date.now() + pauseMs
    },
  }
}
