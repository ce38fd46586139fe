import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as trees from '../trees/service.ts'
import * as queries from './queries.ts'
import { mostPins } from './schemas.ts'

export async function list({ db }: Reader) {
  return queries.selectPinned(db)
}

export async function pin({ db }: Writer, id: string) {
  const pins = await queries.insertPin(db, id)
  if (pins.some((flow) => flow.id === id)) return pins
  await trees.find(db, id)
  throw new Problem('conflict', `At most ${mostPins} flows can be pinned`, { code: 'pin_limit_reached' })
}

export async function unpin({ db }: Writer, id: string) {
  if (!(await queries.deletePin(db, id))) throw new Problem('not_found', 'This flow is not pinned')
}

export async function reorder({ db }: Writer, ids: readonly string[]) {
  const before = await queries.selectPinned(db)
  const given = new Set(ids)
  if (before.length !== given.size || before.some(({ id }) => !given.has(id)))
    throw invalid([{ loc: ['body', 'tree_ids'], msg: 'Must name every pinned flow once, and no other', type: 'custom' }])
  return queries.updatePositions(db, ids)
}
