import { sql } from 'kysely'
import { toWordPatterns } from '../../../lib/db/like.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { LibraryQuery, LibraryStep, LibraryStepCreate, LibraryStepUpdate } from './schemas.ts'

export interface LibraryStepRow extends LibraryStep {
  /** Whether the caller may change the step. A step that belongs to a flow can be changed only there, even by this caller. */
  may_change: boolean
}

const stepColumns = sql`
  s.id, s.title, s.description, s.step_type, s.visibility, s.source_tree_id is not null as is_flow_synced, s.is_active, s.source_tree_id,
  s.source_node_id, s.source_tree_name, s.team_id, s.created_by, s.created_at, s.updated_at, app.may_change(s.created_by, s.team_id) as may_change`
const isVisible = sql`s.account_id = app.account_id() and app.sees(s.visibility, s.created_by, s.team_id)`

export async function selectSteps(
  db: ReadDb,
  { search, synced, active, skip, limit }: LibraryQuery & PageQuery,
): Promise<LibraryStepRow[]> {
  const matchesSearch = search ? sql`and s.id in (select app.find_library_steps(${toWordPatterns(search)}::text[], ${active}))` : sql``
  const matchesOrigin = synced === undefined ? sql`` : sql`and (s.source_tree_id is not null) = ${synced}`
  const { rows } = await sql<LibraryStepRow>`
    select ${stepColumns} from library_steps s where ${isVisible} and ${active ? sql`s.is_active` : sql`not s.is_active`} ${matchesOrigin} ${matchesSearch}
     order by lower(s.title), s.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectStep(db: ReadDb, id: string): Promise<LibraryStepRow | undefined> {
  return (await sql<LibraryStepRow>`select ${stepColumns} from library_steps s where ${isVisible} and s.id = ${id}`.execute(db as WriteDb))
    .rows[0]
}

export async function insertStep(db: WriteDb, { title, description, step_type, visibility }: LibraryStepCreate): Promise<LibraryStepRow> {
  const { rows } = await sql<LibraryStepRow>`
    with s as (
      insert into library_steps (team_id, created_by, title, description, step_type, visibility)
      values (app.team_id(), app.user_id(), ${title}, ${description}, ${step_type}, ${visibility}) returning *)
    select ${stepColumns} from s`.execute(db)
  return rows[0] as LibraryStepRow
}

const isEditable = sql`${isVisible} and s.source_tree_id is null and app.may_change(s.created_by, s.team_id)`

export async function updateStep(db: WriteDb, id: string, changes: LibraryStepUpdate): Promise<LibraryStepRow | undefined> {
  const { title = null, description = null, step_type = null, visibility = null } = changes
  const { rows } = await sql<LibraryStepRow>`
    with s as (
      update library_steps s set title = coalesce(${title}, s.title), description = coalesce(${description}, s.description),
             step_type = coalesce(${step_type}, s.step_type), visibility = coalesce(${visibility}, s.visibility), updated_at = app.now()
       where s.id = ${id} and ${isEditable} returning s.*)
    select ${stepColumns} from s`.execute(db)
  return rows[0]
}

export async function deleteStep(db: WriteDb, id: string): Promise<boolean> {
  return (await sql`delete from library_steps s where s.id = ${id} and ${isEditable} returning s.id`.execute(db)).rows.length > 0
}
