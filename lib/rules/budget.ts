import { invalidField, Problem } from '#problem.ts'

// Work is counted in steps, because a Worker cannot measure it: its clocks advance only after I/O
// (https://developers.cloudflare.com/workers/runtime-apis/performance/). A count also gives the same answer
// on every machine.

/** Steps of a second of processor time: a step takes about 10 ns. */
export const stepsPerSecond = 100_000_000
/** What a request may cause. */
export const requestSteps = stepsPerSecond / 4
/** What a job or a request in the background may cause, and an operation that reads a file. */
export const jobSteps = stepsPerSecond
/**
 * How long all of it may take, in milliseconds. Each call that it waits for has a time-out of its own, those
 * to the model four minutes together.
 */
const maxDurationMs = 300_000
/** What a request may add to its output by repeating or expanding its input. */
const maxGrownBytes = 4 * 1024 * 1024

/**
 * The work and the output that a request or a job may still cause. Whoever goes through a text, list or tree
 * that a user, a vendor or a row supplied counts the pass first, by its size.
 */
export interface Budget {
  /** Count `steps` before doing them. Throw a 422 with the type `too_complex` when the budget is used up. */
  spend(steps: number): void
  /** Count output before it is built, if it may be larger than its source. Throw as `spend` does. */
  write(bytes: number): void
  /**
   * Let other requests of the process run if about 50 ms of work were done since the last pause. `counted`
   * was counted before it was done. Throw 503 five minutes after the start.
   */
  pause(counted?: number): Promise<void>
  /** Return whether `steps` and `bytes` are left, for stored content: it is shortened, not refused. */
  has(steps: number, bytes?: number): boolean
  /** Return the steps that are left, for work whose depth depends on it. */
  getStepsLeft(): number
  /** Return what was counted. */
  getSpent(): { steps: number; bytes: number }
}

/** Create a budget of a request, or of other limits. */
export function createBudget({
  steps = requestSteps,
  bytes = maxGrownBytes,
  now = Date.now,
}: {
  steps?: number
  bytes?: number
  /** A Worker's clock advances with each call that it waits for. */
  now?: () => number
} = {}): Budget {
  const spent = { steps: 0, bytes: 0 }
  const deadline = now() + maxDurationMs
  let pausedAt = 0
  const requireLeft = (isLeft: boolean) => {
    if (!isLeft)
      throw invalidField(['body'], 'takes too much work to process; simplify or split it', 'too_complex')
  }
  return {
    spend(count) {
      const isLeft = spent.steps + count <= steps
      // What is refused is not done, but nothing else is done afterwards either.
      spent.steps = isLeft ? spent.steps + count : steps
      requireLeft(isLeft)
    },
    write(count) {
      const isLeft = spent.bytes + count <= bytes
      spent.bytes = isLeft ? spent.bytes + count : bytes
      requireLeft(isLeft)
    },
    async pause(counted = 0) {
      if (now() > deadline)
        throw new Problem('unavailable', 'This took too long; try again', {
          headers: { 'retry-after': '60' },
        })
      pausedAt -= counted
      if (spent.steps - pausedAt < stepsPerSecond / 20) return
      pausedAt = spent.steps
      await new Promise((resolve) => setTimeout(resolve, 0))
    },
    has: (moreSteps, moreBytes = 0) => spent.steps + moreSteps <= steps && spent.bytes + moreBytes <= bytes,
    getStepsLeft: () => Math.max(0, steps - spent.steps),
    getSpent: () => ({ ...spent }),
  }
}
