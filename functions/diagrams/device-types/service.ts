import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { nameTaken } from '../../../lib/db/sqlstate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { DeviceType, DeviceTypeCreate, DeviceTypeQuery, DeviceTypeUpdate } from './schemas.ts'

export async function list({ db }: Reader, query: DeviceTypeQuery & PageQuery) {
  return toPage((await queries.selectTypes(db, query)).map(shown), query.limit)
}

export async function create({ db }: Writer, type: DeviceTypeCreate) {
  return shown(await queries.insertType(db, type).catch(nameTaken('A device type')))
}

export async function update({ db }: Writer, id: string, change: DeviceTypeUpdate) {
  const saved = Object.keys(change).length > 0 ? await queries.updateType(db, id, change).catch(nameTaken('A device type')) : undefined
  return shown(saved ?? (await findOwn(db, id)))
}

export async function remove({ db }: Writer, id: string) {
  if (!(await queries.deleteType(db, id))) await findOwn(db, id)
}

async function findOwn(db: Reader['db'], id: string) {
  const type = await queries.selectType(db, id)
  if (!type) throw new Problem('not_found', 'Device type not found')
  if (type.is_system) throw new Problem('forbidden', 'This device type ships with the service and cannot be changed')
  if (!type.may_change)
    throw new Problem('forbidden', 'Only who made it, an admin of its team or an account admin may change this device type')
  return type
}

function shown({ may_change: _, ...type }: queries.DeviceTypeRow): DeviceType {
  return type
}
