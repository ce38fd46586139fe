import { type RawBuilder, sql } from 'kysely'
import { toWordPatterns } from '../../../lib/db/like.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { ScriptParameter } from '../../../lib/scripts/schema.ts'
import type { ScriptCategory, ScriptCreate, ScriptItem, ScriptQuery, ScriptTemplate, ScriptUpdate } from './schemas.ts'

export interface ScriptRow extends ScriptTemplate {
  parameters_schema: ScriptParameter[]
  /** Whether the caller may change it. */
  may_change: boolean
}

const itemColumns = sql`
  s.id, s.name, s.slug, s.description, s.parameters_schema, s.language, s.requires_elevation, s.category_id, c.name as category, s.is_shared,
  s.is_gallery_featured, s.gallery_sort_order, s.source_session_id, s.source_user_id, s.source_ticket_ref, s.team_id, s.account_id,
  s.created_by, s.created_at, s.updated_at`
const scriptColumns = sql`${itemColumns}, s.script_body, s.account_id = app.account_id() and app.may_change(s.created_by, s.team_id) as may_change`
const categoryJoin = sql`left join script_categories c on c.account_id = s.account_id and c.id = s.category_id`
const isEditable = sql`s.account_id = app.account_id() and app.may_change(s.created_by, s.team_id)`

export async function selectScripts(db: ReadDb, query: ScriptQuery & PageQuery): Promise<ScriptItem[]> {
  const { rows } = await sql<ScriptItem>`
    select ${itemColumns} from script_templates s ${categoryJoin}
     where s.account_id in (app.account_id(), app.platform_account()) ${buildFilters(query)}
     order by lower(s.name), s.id offset ${query.skip} limit ${query.limit + 1}`.execute(db as WriteDb)
  return rows
}

function buildFilters({ mine, shared, language, category: categoryName, search }: ScriptQuery): RawBuilder<unknown> {
  const candidates = [
    mine !== undefined && sql`and (s.created_by = app.user_id()) = ${mine}`,
    shared !== undefined && sql`and (s.is_shared or s.account_id = app.platform_account()) = ${shared}`,
    language && sql`and s.language = ${language}`,
    categoryName && sql`and lower(c.name) = lower(${categoryName})`,
    search && sql`and s.id in (select app.find_scripts(${toWordPatterns(search)}::text[]))`,
  ]
  return sql.join(
    candidates.filter((candidate) => typeof candidate === 'object'),
    sql` `,
  )
}

export async function selectScript(db: ReadDb, id: string): Promise<ScriptRow | undefined> {
  return (await sql<ScriptRow>`select ${scriptColumns} from script_templates s ${categoryJoin} where s.id = ${id}`.execute(db as WriteDb))
    .rows[0]
}

export async function insertScript(db: WriteDb, script: ScriptCreate, slug: string): Promise<ScriptRow> {
  const { name, description = '', script_body, parameters_schema = [], language, requires_elevation = false, category_id = null } = script
  const { rows } = await sql<ScriptRow>`
    with s as (
      insert into script_templates (team_id, name, slug, description, script_body, parameters_schema, language, requires_elevation, category_id)
      values (app.team_id(), ${name}, ${slug}, ${description}, ${script_body}, ${JSON.stringify(parameters_schema)}::jsonb, ${language},
              ${requires_elevation}, ${category_id}::uuid) returning *)
    select ${scriptColumns} from s ${categoryJoin}`.execute(db)
  return rows[0] as ScriptRow
}

/** Update the columns in `changes`. Return undefined if the stored time is not `updatedAt` or the caller may not change the script. */
export async function updateScript(db: WriteDb, id: string, updatedAt: string, changes: ScriptUpdate): Promise<ScriptRow | undefined> {
  const assignments: RawBuilder<unknown>[] = [sql`updated_at = greatest(app.now(), s.updated_at + interval '1 ms')`]
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined)
      assignments.push(sql`${sql.ref(name)} = ${name === 'parameters_schema' ? sql`${JSON.stringify(value)}::jsonb` : sql`${value}`}`)
  }
  const { rows } = await sql<ScriptRow>`
    with s as (
      update script_templates s set ${sql.join(assignments)} where s.id = ${id} and s.updated_at = ${updatedAt}::timestamptz and ${isEditable} returning s.*)
    select ${scriptColumns} from s ${categoryJoin}`.execute(db)
  return rows[0]
}

export async function shareScript(db: WriteDb, id: string, isShared: boolean): Promise<ScriptRow | undefined> {
  const { rows } = await sql<ScriptRow>`
    with s as (update script_templates s set is_shared = ${isShared} where s.id = ${id} and ${isEditable} returning s.*)
    select ${scriptColumns} from s ${categoryJoin}`.execute(db)
  return rows[0]
}

export async function deleteScript(db: WriteDb, id: string): Promise<boolean> {
  return (await sql`delete from script_templates s where s.id = ${id} and ${isEditable} returning s.id`.execute(db)).rows.length > 0
}

export async function countUse(db: WriteDb, id: string): Promise<void> {
  await sql`select app.count_script_use(${id})`.execute(db)
}

const categoryColumns = sql`
  c.id, c.name, c.created_at,
  (select count(*)::integer from script_templates s where s.account_id = c.account_id and s.category_id = c.id) as count`

export async function selectCategories(db: ReadDb, { skip, limit }: PageQuery): Promise<ScriptCategory[]> {
  const { rows } = await sql<ScriptCategory>`
    select ${categoryColumns} from script_categories c where c.account_id = app.account_id()
     order by lower(c.name), c.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function insertCategory(db: WriteDb, name: string): Promise<ScriptCategory> {
  const { rows } = await sql<ScriptCategory>`
    with c as (insert into script_categories (name) values (${name}) returning *) select ${categoryColumns} from c`.execute(db)
  return rows[0] as ScriptCategory
}
