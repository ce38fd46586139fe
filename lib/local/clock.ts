/** The clock that PostgreSQL and the local emulators share. It shows real time plus an offset. */
export interface Clock {
  /** Milliseconds since the epoch, with the offset. */
  now(): number
  offsetMs(): number
  setOffset(offsetMs: number): void
  onMove(listener: () => void | Promise<void>): void
}

/** Create a clock that shows real time until its offset is set. */
export function createClock(): Clock {
  const listeners: (() => void | Promise<void>)[] = []
  let currentOffsetMs = 0
  return {
    now: () => Date.now() + currentOffsetMs,
    offsetMs: () => currentOffsetMs,
    setOffset(offsetMs) {
      currentOffsetMs = offsetMs
      for (const listener of listeners) void listener()
    },
    onMove: (listener) => void listeners.push(listener),
  }
}

/** Format milliseconds since the epoch as RFC 3339 in UTC, with milliseconds. */
export const toTimestamp = (ms: number): string => new Date(ms).toISOString()
