/** Return a number from 0 up to but not including 1. */
export type Random = () => number

/**
 * Create a generator that returns the same numbers for the same seed: mulberry32,
 * https://github.com/cprosche/mulberry32
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Remove a random item of a list and return it. */
export function takeRandom<T>(items: T[], random: Random): T | undefined {
  return items.splice(Math.floor(random() * items.length), 1)[0]
}
