/** Limits how many pieces of work run at the same time. */
export interface Slots {
  /** Run `work` when a slot is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Create `count` slots. */
export function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  const acquire = async () => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const release = () => {
    // A slot passes directly to the next caller, so that no later caller gets it first.
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  return {
    async run(work) {
      await acquire()
      return work().finally(release)
    },
  }
}
