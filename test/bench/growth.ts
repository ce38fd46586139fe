import { loadWhile } from './load.ts'
import { type Place, seedCrowd } from './seed.ts'
import type { Standing } from './server.ts'

export interface Grown {
  notifications: number
  /** Milliseconds of one list, the median. */
  p50: number
}

// Few people, so that not only the account but each one's inbox grows; enough of them to stay below the limits.
const people = 20
const listsEach = 25

/** How long a list takes in accounts of growing size. */
export async function growth(place: Place, { subjects }: Standing): Promise<Grown[]> {
  const port = subjects[0]?.port ?? 0
  const grown: Grown[] = []
  for (const [index, notifications] of [1_000, 10_000, 100_000, 1_000_000].entries()) {
    const { tokens } = await seedCrowd(place, `1${index}`, people, notifications / people)
    let turn = 0
    const next = () => ({ method: 'GET', path: '/api/v1/notifications?limit=50', token: tokens[turn++ % people] ?? '' })
    const lists = (count: number) => loadWhile({ port, connections: 1, next, more: () => turn < count })
    await lists(people * 5)
    grown.push({ notifications, p50: (await lists(people * (5 + listsEach))).p50 })
  }
  return grown
}
