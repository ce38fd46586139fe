import { nameOrder, type PageQuery, toPage } from '#db/page.ts'
import { getSqlState } from '#db/sqlstate.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, requireVersion, throwNotFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { TargetList, TargetListCreate, TargetListUpdate } from './schemas.ts'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectLists(db, page), page, nameOrder())
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<TargetList> {
  return toTargetList(await find(db, id))
}

export async function create({ db }: WriteContext, input: TargetListCreate) {
  return toTargetList(await queries.insertList(db, input))
}

export async function update({ db }: WriteContext, id: string, changes: TargetListUpdate) {
  const { expected_version, ...columns } = changes
  const updated = Object.keys(columns).length > 0 ? await queries.updateList(db, id, changes) : undefined
  if (updated) return toTargetList(updated)
  const current = await requireEditable(db, id)
  requireVersion('target list', current, expected_version)
  return toTargetList(current)
}

export async function remove({ db }: WriteContext, id: string) {
  if (!(await queries.deleteList(db, id).catch(throwInUse(db, id)))) await requireEditable(db, id)
}

/**
 * Create a `catch` handler that turns a foreign key violation into 409 `in_use` with the schedules that use
 * the list.
 */
function throwInUse(db: WriteContext['db'], id: string) {
  return async (error: unknown): Promise<never> => {
    if (getSqlState(error) !== '23503') throw error
    const schedules = await queries.selectSchedulesUsingList(db, id)
    throw new Problem('in_use', 'Maintenance schedules use this target list; change or delete them first', {
      facts: { schedules },
    })
  }
}

async function find(db: ReadContext['db'], id: string) {
  return (await queries.selectList(db, id)) ?? throwNotFound('Target list')
}

async function requireEditable(db: ReadContext['db'], id: string) {
  const targetList = await find(db, id)
  if (!targetList.may_change)
    throw new Problem(
      'forbidden',
      'Only its creator, an admin of its team or an account admin may change this target list',
    )
  return targetList
}

function toTargetList({ may_change: _, ...targetList }: queries.TargetListRow): TargetList {
  return targetList
}
