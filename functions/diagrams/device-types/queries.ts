import { sql } from 'kysely'
import { toContainsPattern } from '../../../lib/db/like.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { DeviceType, DeviceTypeCreate, DeviceTypeQuery, DeviceTypeUpdate } from './schemas.ts'

export interface DeviceTypeRow extends DeviceType {
  /** Whether the caller may change the type. False for types of the platform. */
  may_change: boolean
}

const deviceTypeColumns = sql`
  d.id, d.name, d.category, d.icon, d.account_id = app.platform_account() as is_system, d.team_id, d.created_at,
  d.account_id = app.account_id() and app.may_change(d.created_by, d.team_id) as may_change`
const isEditable = sql`d.account_id = app.account_id() and app.may_change(d.created_by, d.team_id)`

export async function selectTypes(db: ReadDb, { category, search, skip, limit }: DeviceTypeQuery & PageQuery): Promise<DeviceTypeRow[]> {
  const { rows } = await sql<DeviceTypeRow>`
    select ${deviceTypeColumns} from device_types d where d.account_id in (app.account_id(), app.platform_account())
       ${category ? sql`and d.category = ${category}` : sql``} ${search ? sql`and d.name ilike ${toContainsPattern(search)}` : sql``}
     order by d.category, lower(d.name), d.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectType(db: ReadDb, id: string): Promise<DeviceTypeRow | undefined> {
  return (await sql<DeviceTypeRow>`select ${deviceTypeColumns} from device_types d where d.id = ${id}`.execute(db as WriteDb)).rows[0]
}

export async function insertType(db: WriteDb, { name, category, icon }: DeviceTypeCreate): Promise<DeviceTypeRow> {
  const { rows } = await sql<DeviceTypeRow>`
    with d as (insert into device_types (team_id, name, category, icon) values (app.team_id(), ${name}, ${category}, ${icon}) returning *)
    select ${deviceTypeColumns} from d`.execute(db)
  return rows[0] as DeviceTypeRow
}

export async function updateType(db: WriteDb, id: string, changes: DeviceTypeUpdate): Promise<DeviceTypeRow | undefined> {
  const { name = null, category = null, icon } = changes
  const { rows } = await sql<DeviceTypeRow>`
    with d as (
      update device_types d set name = coalesce(${name}, d.name), category = coalesce(${category}, d.category),
             icon = case when ${icon !== undefined} then ${icon ?? null} else d.icon end
       where d.id = ${id} and ${isEditable} returning d.*)
    select ${deviceTypeColumns} from d`.execute(db)
  return rows[0]
}

export async function deleteType(db: WriteDb, id: string): Promise<boolean> {
  return (await sql`delete from device_types d where d.id = ${id} and ${isEditable} returning d.id`.execute(db)).rows.length > 0
}
