/** A generator of numbers from 0 up to 1 that repeats for the same seed. */
export type Random = () => number

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

/** Return the seed of this run: `SOAK_SEED`, which repeats a run, or a new one. */
export function chooseSeed(): number {
  return Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31))
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T
}
