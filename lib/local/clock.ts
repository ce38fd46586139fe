export interface Clock {
  /** Milliseconds since the epoch, moved by the offset. */
  now(): number
  offsetMs(): number
  set(offsetMs: number): void
  onMove(listener: () => void | Promise<void>): void
}

/** The time that Postgres, the queue and cron share; real time until somebody moves it. */
export function createClock(): Clock {
  const listeners: (() => void | Promise<void>)[] = []
  let offset = 0
  return {
    now: () => Date.now() + offset,
    offsetMs: () => offset,
    set(offsetMs) {
      offset = offsetMs
      for (const listener of listeners) void listener()
    },
    onMove: (listener) => void listeners.push(listener),
  }
}

/** RFC 3339 in UTC with milliseconds. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()
