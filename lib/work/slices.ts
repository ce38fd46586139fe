// A job whose work takes more than one attempt may is done in slices. Each slice that is recorded raises the
// `max_attempts` of the row, so that its next slice has attempts of its own. What follows counts within one
// slice.

export const maxSliceAttempts = 4

/** Return an attempt of a job in slices as an attempt of its slice, for `secondsUntilRetry`. */
export function toSliceAttempt<A extends { attempts: number; max_attempts: number }>(claimed: A): A {
  const earlier = claimed.max_attempts - maxSliceAttempts
  return { ...claimed, attempts: claimed.attempts - earlier, max_attempts: maxSliceAttempts }
}

/** Count the earlier attempts of the slice, which all failed. After each, the work of the slice is halved. */
export function countSliceFailures(claimed: { attempts: number; max_attempts: number }): number {
  return Math.max(0, toSliceAttempt(claimed).attempts - 1)
}
