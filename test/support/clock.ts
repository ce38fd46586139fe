import { onTestFinished, vi } from 'vitest'

/** Set the clock of this process (`Date`, not timers) to a time in milliseconds, until the test ends. */
export function useClock(start: number): { now: number } {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  onTestFinished(() => void vi.useRealTimers())
  return {
    get now() {
      return Date.now()
    },
    set now(time: number) {
      vi.setSystemTime(time)
    },
  }
}
