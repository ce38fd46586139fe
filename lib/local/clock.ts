/** The clock that PostgreSQL and the local emulators share. It shows real time plus an offset. */
export interface Clock {
  /** Milliseconds since the epoch, with the offset. */
  now(): number
  offsetMs(): number
  setOffset(offsetMs: number): void
  onMove(listener: () => void | Promise<void>): void
}

/** Create a clock. It starts with the offset that it had before a restart, by default none. */
export function createClock(startOffsetMs = 0): Clock {
  const listeners: (() => void | Promise<void>)[] = []
  let currentOffsetMs = startOffsetMs
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
