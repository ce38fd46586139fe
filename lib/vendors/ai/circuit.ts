/** Whether a provider is left alone after a failure, in this process. */
export interface Circuit {
  /** Whether calls have failed since the last one that succeeded. */
  readonly isFailing: boolean
  /**
   * Return whether to leave the provider alone. After a pause one call may try it, and others wait for
   * another pause.
   */
  isOpen(): boolean
  /** Leave the provider alone for a pause, or for as long as it asked, in milliseconds. */
  open(askedMs?: number): void
  /** The provider has answered. */
  close(): void
}

const maxPauseMs = 30 * 60_000

/** Create a circuit whose pause, in milliseconds, doubles after each try that fails, up to half an hour. */
export function createCircuit(pauseMs: number = 60_000, now: () => number = Date.now): Circuit {
  let isFailing = false
  let tries = 0
  let openUntil = 0
  return {
    get isFailing() {
      return isFailing
    },
    isOpen() {
      if (!isFailing) return false
      if (now() < openUntil) return true
      tries++
      openUntil = now() + pauseMs
      return false
    },
    open(askedMs = 0) {
      isFailing = true
      const pause = Math.min(maxPauseMs, Math.max(askedMs, pauseMs * 2 ** tries))
      openUntil = Math.max(openUntil, now() + pause)
    },
    close() {
      isFailing = false
      tries = 0
    },
  }
}
