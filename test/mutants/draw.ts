import type { Mutation } from './candidates.ts'
import { type Random, takeRandom } from './random.ts'

/**
 * Create a function that draws a mutation which was not drawn yet, or undefined when none is left. Each kind
 * is as likely as the others.
 */
export function createDraw(mutations: readonly Mutation[], random: Random): () => Mutation | undefined {
  const groups = [...Map.groupBy(mutations, ({ kind }) => kind).values()].map((group) => [...group])
  return () => {
    const filled = groups.filter((group) => group.length > 0)
    const group = filled[Math.floor(random() * filled.length)]
    return group && takeRandom(group, random)
  }
}
