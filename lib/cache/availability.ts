// After two failures in a row the next calls use the fallback for this long, without waiting for the same time-out.
const pauseMs = 5000
const failuresBeforePause = 2
/** How much longer a call may take that probably opens a connection: from a far region, TCP and TLS take three round trips before the call. */
export const firstCallFactor = 4
// Runtimes close a connection that is idle for about this long.
const connectionIdleMs = 30_000

/** Whether a server is worth calling, and for how long to wait for it. */
export interface Availability {
  /** False for 5 s after two failures in a row. */
  isAvailable(): boolean
  /** Whether the next call probably opens a connection, so that its time-out is `firstCallFactor` times as long. */
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
