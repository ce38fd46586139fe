import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { TargetList, TargetListCreate, TargetListItem, TargetListUpdate } from './schemas.ts'

export interface TargetListRow extends TargetList {
  /** Whether the caller may change it. */
  may_change: boolean
}

const itemColumns = sql`l.id, l.account_id, l.team_id, l.name, l.description, l.created_by, l.created_at, l.updated_at`
const targetListColumns = sql`${itemColumns}, l.targets, app.may_change(l.created_by, l.team_id) as may_change`
const isEditable = sql`l.account_id = app.account_id() and app.may_change(l.created_by, l.team_id)`

export async function selectLists(db: ReadDb, { skip, limit }: PageQuery): Promise<TargetListItem[]> {
  const { rows } = await sql<TargetListItem>`
    select ${itemColumns}, jsonb_array_length(l.targets) as target_count from target_lists l where l.account_id = app.account_id()
     order by lower(l.name), l.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectList(db: ReadDb, id: string): Promise<TargetListRow | undefined> {
  return (await sql<TargetListRow>`select ${targetListColumns} from target_lists l where l.id = ${id}`.execute(db as WriteDb)).rows[0]
}

export async function insertList(db: WriteDb, { name, description, targets }: TargetListCreate): Promise<TargetListRow> {
  const { rows } = await sql<TargetListRow>`
    with l as (
      insert into target_lists (team_id, name, description, targets)
      values (app.team_id(), ${name}, ${description}, ${JSON.stringify(targets)}::jsonb) returning *)
    select ${targetListColumns} from l`.execute(db)
  return rows[0] as TargetListRow
}

export async function updateList(db: WriteDb, id: string, changes: TargetListUpdate): Promise<TargetListRow | undefined> {
  const { name = null, description = null, targets } = changes
  const { rows } = await sql<TargetListRow>`
    with l as (
      update target_lists l set name = coalesce(${name}, l.name), description = coalesce(${description}, l.description),
             targets = coalesce(${targets ? JSON.stringify(targets) : null}::jsonb, l.targets), updated_at = app.now()
       where l.id = ${id} and ${isEditable} returning l.*)
    select ${targetListColumns} from l`.execute(db)
  return rows[0]
}

export async function deleteList(db: WriteDb, id: string): Promise<boolean> {
  return (await sql`delete from target_lists l where l.id = ${id} and ${isEditable} returning l.id`.execute(db)).rows.length > 0
}

/** Select the first 20 schedules by name that use the list and that the caller can see. */
export async function selectSchedulesUsingList(db: ReadDb, id: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select s.id, s.name from maintenance_schedules s where s.account_id = app.account_id() and s.target_list_id = ${id}
     order by lower(s.name), s.id limit 20`.execute(db as WriteDb)
  return rows
}
