import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { sqlState } from '../../../lib/db/sqlstate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { TargetList, TargetListCreate, TargetListUpdate } from './schemas.ts'

export async function list({ db }: Reader, page: PageQuery) {
  return toPage(await queries.selectLists(db, page), page.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<TargetList> {
  return shown(await find(db, id))
}

export async function create({ db }: Writer, given: TargetListCreate) {
  return shown(await queries.insertList(db, given))
}

export async function update({ db }: Writer, id: string, change: TargetListUpdate) {
  const saved = Object.keys(change).length > 0 ? await queries.updateList(db, id, change) : undefined
  return shown(saved ?? (await findOwn(db, id)))
}

export async function remove({ db }: Writer, id: string) {
  if (!(await queries.deleteList(db, id).catch(inUse(db, id)))) await findOwn(db, id)
}

/** Says which schedules still run on a list; other errors go on. */
function inUse(db: Writer['db'], id: string) {
  return async (error: unknown): Promise<never> => {
    if (sqlState(error) !== '23503') throw error
    const schedules = await queries.selectSchedulesOf(db, id)
    throw new Problem('conflict', 'Maintenance schedules run on this target list', { code: 'in_use', facts: { schedules } })
  }
}

async function find(db: Reader['db'], id: string) {
  const found = await queries.selectList(db, id)
  if (!found) throw new Problem('not_found', 'Target list not found')
  return found
}

async function findOwn(db: Reader['db'], id: string) {
  const found = await find(db, id)
  if (!found.may_change)
    throw new Problem('forbidden', 'Only who made it, an admin of its team or an account admin may change this target list')
  return found
}

function shown({ may_change: _, ...found }: queries.TargetListRow): TargetList {
  return found
}
