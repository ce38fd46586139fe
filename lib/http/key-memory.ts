/** What one process remembers about API keys. */
export interface KeyMemory {
  /** Return whether a key with this hash was admitted here before. */
  isKnown(hash: string): boolean
  /** Remember that a key was admitted. Return whether its use should be recorded: at most once a minute. */
  admit(hash: string): boolean
  forget(hash: string): void
}

const maxKeys = 2000
const recordEveryMs = 60_000

/** Create the memory of one process. It holds hashes only, and forgets everything when it is full. */
export function createKeyMemory(now: () => number = Date.now): KeyMemory {
  const recordedAt = new Map<string, number>()
  return {
    isKnown: (hash) => recordedAt.has(hash),
    admit(hash) {
      const last = recordedAt.get(hash)
      if (last !== undefined && now() - last < recordEveryMs) return false
      if (recordedAt.size >= maxKeys) recordedAt.clear()
      recordedAt.set(hash, now())
      return true
    },
    forget: (hash) => void recordedAt.delete(hash),
  }
}
