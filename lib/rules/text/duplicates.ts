import type * as z from 'zod'
import { toNameKey } from './fold.ts'

/** Return each position whose name is that of an earlier one, with the first position of the name. */
export function findRepeats(names: readonly string[]): { index: number; first: number }[] {
  const firsts = new Map<string, number>()
  return names.flatMap((name, index) => {
    const key = toNameKey(name)
    const first = firsts.get(key)
    if (first === undefined) firsts.set(key, index)
    return first === undefined ? [] : [{ index, first }]
  })
}

/** Create a check of a list that names each thing once. The error of each repeat has its position. */
export function refuseRepeats<T = string>(getName: (item: T) => string = String) {
  return (items: readonly T[], ctx: z.core.$RefinementCtx) => {
    for (const { index, first } of findRepeats(items.map(getName)))
      ctx.addIssue({
        code: 'custom',
        path: [index],
        message: `must not repeat item ${first + 1} of the list, also in another spelling`,
      })
  }
}

/** Return one of the names that differ in their spelling alone: the last. */
export const removeRepeats = (names: readonly string[]): string[] => [
  ...new Map(names.map((name) => [toNameKey(name), name])).values(),
]
