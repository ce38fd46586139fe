import { type PageQuery, toPage } from '#db/page.ts'
import { throwNameTaken } from '#db/sqlstate.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { DeviceType, DeviceTypeCreate, DeviceTypeQuery, DeviceTypeUpdate } from './schemas.ts'

export async function list({ db }: ReadContext, query: DeviceTypeQuery & PageQuery) {
  return toPage((await queries.selectTypes(db, query)).map(toDeviceType), query, queries.typeOrder)
}

export async function create({ db }: WriteContext, type: DeviceTypeCreate) {
  return toDeviceType(await queries.insertType(db, type).catch(throwNameTaken('A device type')))
}

export async function update({ db }: WriteContext, id: string, changes: DeviceTypeUpdate) {
  const updatedType =
    Object.keys(changes).length > 0
      ? await queries.updateType(db, id, changes).catch(throwNameTaken('A device type'))
      : undefined
  return toDeviceType(updatedType ?? (await requireEditable(db, id)))
}

export async function remove({ db }: WriteContext, id: string) {
  if (!(await queries.deleteType(db, id))) await requireEditable(db, id)
}

async function requireEditable(db: ReadContext['db'], id: string) {
  const type = (await queries.selectType(db, id)) ?? throwNotFound('Device type')
  if (type.is_system)
    throw new Problem('forbidden', 'This device type ships with the service and cannot be changed')
  if (!type.may_change)
    throw new Problem(
      'forbidden',
      'Only its creator, an admin of its team or an account admin may change this device type',
    )
  return type
}

function toDeviceType({ may_change: _, ...type }: queries.DeviceTypeRow): DeviceType {
  return type
}
