import { invalidField } from '#problem.ts'

// Work is counted in steps, because a Worker cannot measure it: its clocks advance only after I/O
// (https://developers.cloudflare.com/workers/runtime-apis/performance/). A count also gives the same answer on every machine.

/** Steps of a second of processor time: a step takes about 10 ns. */
export const stepsPerSecond = 100_000_000

/** The work that a request may still cause. */
export interface WorkBudget {
  /** Count `steps` before doing them. Throw a 422 with the type `too_complex` when the budget is used up. */
  spend(steps: number): void
}

/** Create a budget of one second of processor time, or of `steps`. */
export function createWorkBudget(steps = stepsPerSecond): WorkBudget {
  let stepsLeft = steps
  return {
    spend(count) {
      stepsLeft -= count
      if (stepsLeft < 0) throw invalidField(['body'], 'takes too much work to process; simplify or split it', 'too_complex')
    },
  }
}
