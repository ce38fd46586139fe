import { sql } from 'kysely'
import { accountId, isEditable, platformAccountId, teamId } from '#db/expressions.ts'
import { toFoldedPattern } from '#db/like.ts'
import { nameOrder, type Order, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import type { DeviceType, DeviceTypeCreate, DeviceTypeQuery, DeviceTypeUpdate } from './schemas.ts'

export interface DeviceTypeRow extends DeviceType {
  /** Whether the caller may change the type. False for types of the platform. */
  may_change: boolean
}

const typeColumns = [
  'id',
  'name',
  'category',
  'icon',
  sql<boolean>`account_id = ${platformAccountId}`.as('is_system'),
  'team_id',
  'created_at',
  isEditable('device_types').as('may_change'),
] as const

export const typeOrder: Order<'category' | 'name' | 'id'> = [
  { field: 'category', kind: 'text' },
  ...nameOrder(),
]

export function selectTypes(
  db: ReadDb,
  { category, search, ...page }: DeviceTypeQuery & PageQuery,
): Promise<DeviceTypeRow[]> {
  let types = db
    .selectFrom('device_types')
    .select(typeColumns)
    .where('account_id', 'in', [accountId, platformAccountId])
  if (category) types = types.where('category', '=', category)
  if (search) types = types.where(sql<boolean>`app.fold(name) like ${toFoldedPattern(search)}`)
  return types.$call(selectPage(typeOrder, page)).execute()
}

export function selectType(db: ReadDb, id: string): Promise<DeviceTypeRow | undefined> {
  return db.selectFrom('device_types').select(typeColumns).where('id', '=', id).executeTakeFirst()
}

export function insertType(db: WriteDb, type: DeviceTypeCreate): Promise<DeviceTypeRow> {
  return db
    .insertInto('device_types')
    .values({ ...type, team_id: teamId })
    .returning(typeColumns)
    .executeTakeFirstOrThrow()
}

/** Update the columns in `changes`, at least one. Return undefined if the caller may not change the type. */
export function updateType(
  db: WriteDb,
  id: string,
  changes: DeviceTypeUpdate,
): Promise<DeviceTypeRow | undefined> {
  return db
    .updateTable('device_types')
    .set(changes)
    .where('id', '=', id)
    .where(isEditable('device_types'))
    .returning(typeColumns)
    .executeTakeFirst()
}

export async function deleteType(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('device_types')
    .where('id', '=', id)
    .where(isEditable('device_types'))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
