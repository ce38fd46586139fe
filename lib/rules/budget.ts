import { AsyncLocalStorage } from 'node:async_hooks'
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

/** 422 for what takes too much work or memory. */
export function tooComplex(): Problem {
  return invalidField(['body'], 'takes too much work to process; simplify or split it', 'too_complex')
}

/**
 * The work and the output that a request or a job may still cause. Whoever goes through a text, list or tree
 * that a user, a vendor or a row supplied counts the pass first, by its size, with the functions below.
 */
export interface Budget {
  /** Count `steps` before doing them. Throw a 422 with the type `too_complex` when the budget is used up. */
  spend(steps: number): void
  /**
   * Count output before it is built, if it may be larger than its source, and what a reader of a file keeps in
   * memory. Throw as `spend` does.
   */
  spendBytes(bytes: number): void
  /**
   * Let other requests of the process run if about 50 ms of work were done since the last pause. `counted`
   * was counted before it was done. Throw 503 five minutes after the start.
   */
  pause(counted?: number): Promise<void>
  /** Return whether `steps` and `bytes` are left, for stored content: it is shortened, not refused. */
  canSpend(steps: number, bytes?: number): boolean
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
    if (!isLeft) throw tooComplex()
  }
  return {
    spend(count) {
      const isLeft = spent.steps + count <= steps
      // What is refused is not done, but nothing else is done afterwards either.
      spent.steps = isLeft ? spent.steps + count : steps
      requireLeft(isLeft)
    },
    spendBytes(count) {
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
    canSpend: (moreSteps, moreBytes = 0) =>
      spent.steps + moreSteps <= steps && spent.bytes + moreBytes <= bytes,
    getStepsLeft: () => Math.max(0, steps - spent.steps),
    getSpent: () => ({ ...spent }),
  }
}

// The budget of the work that runs now. Promises, timers and streams that the work starts keep it. Reading it
// takes 4 ns, less than a step.
const currentBudget = new AsyncLocalStorage<Budget>()

/** Run `work`, and what it starts, within `budget`. Return what it returns. */
export function runWithin<T>(budget: Budget, work: () => T): T {
  return currentBudget.run(budget, work)
}

/**
 * Run synchronous work within a part of the steps that are left, so that what follows it can be paid. Return what
 * it returns, and the steps that it took; it throws when the part is used up.
 */
export function runWithinPart<T>(steps: number, work: () => T): { result: T; steps: number } {
  const part = createBudget({ steps: Math.min(steps, getStepsLeft()) })
  try {
    return { result: runWithin(part, work), steps: part.getSpent().steps }
  } finally {
    spend(part.getSpent().steps)
  }
}

/**
 * The budget of the synchronous work that runs now outside of `runWithin`: in a test, a command of the
 * operator, or while a module loads. It is one of a request, is shared until the next `await`, and cannot
 * pause. So work whose budget was forgotten never holds the process longer than a request may.
 */
let outside: Budget | undefined

function getBudget(): Budget {
  const budget = currentBudget.getStore() ?? outside
  if (budget) return budget
  queueMicrotask(() => {
    outside = undefined
  })
  outside = createBudget()
  return outside
}

/** Count `steps` of the current budget, as `Budget.spend` does. */
export const spend = (steps: number): void => getBudget().spend(steps)
/** Count output of the current budget, as `Budget.spendBytes` does. */
export const spendBytes = (bytes: number): void => getBudget().spendBytes(bytes)
/** Return what the current budget can pay, as `Budget.canSpend` does. */
export const canSpend = (steps: number, bytes?: number): boolean => getBudget().canSpend(steps, bytes)
export const getStepsLeft = (): number => getBudget().getStepsLeft()
export const getSpent = (): ReturnType<Budget['getSpent']> => getBudget().getSpent()

/** Let other requests run, as `Budget.pause` does. Throw outside of `runWithin`, where nothing ends the work. */
export async function pause(counted?: number): Promise<void> {
  const budget = currentBudget.getStore()
  if (!budget) throw new Error('Work that pauses must run within a budget: see runWithin')
  await budget.pause(counted)
}
