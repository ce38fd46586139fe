import { sql } from 'kysely'
import { callFunction } from '#db/call-function.ts'
import {
  accountId,
  isEditable,
  jsonb,
  nextUpdatedAt,
  platformAccountId,
  teamId,
  userId,
} from '#db/expressions.ts'
import { toWordPatterns } from '#db/like.ts'
import { nameOrder, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type {
  ScriptCategory,
  ScriptCreate,
  ScriptItem,
  ScriptQuery,
  ScriptTemplate,
  ScriptUpdate,
} from './schemas.ts'

export type ScriptChanges = Omit<ScriptUpdate, 'expected_version'> & { restored_from: number | null }

/** A row, whose risk is the one that was stored. */
export interface ScriptRow extends Omit<ScriptTemplate, 'risk_reasons'> {
  /** Whether the caller may change it. */
  may_change: boolean
  /** Whether the caller is an admin of its team or an account admin. */
  is_admin: boolean
}

const itemColumns = [
  'script_templates.id',
  'script_templates.name',
  'script_templates.slug',
  'script_templates.description',
  'script_templates.parameters_schema',
  'script_templates.language',
  'script_templates.requires_elevation',
  'script_templates.risk',
  'script_templates.category_id',
  'script_templates.is_shared',
  'script_templates.is_gallery_featured',
  'script_templates.gallery_sort_order',
  'script_templates.source_session_id',
  'script_templates.source_user_id',
  'script_templates.source_ticket_ref',
  'script_templates.team_id',
  'script_templates.account_id',
  'script_templates.version',
  'script_templates.created_by',
  'script_templates.created_at',
  'script_templates.updated_at',
] as const
const categoryName = sql<string | null>`
  (select c.name from script_categories c where c.account_id = script_templates.account_id and c.id = script_templates.category_id)`
const scriptColumns = [
  ...itemColumns,
  categoryName.as('category'),
  'script_templates.script_body',
  isEditable('script_templates').as('may_change'),
  // Not for the creator as such, who may change everything except the risk.
  sql<boolean>`app.may_change(null, script_templates.team_id)`.as('is_admin'),
] as const

export function selectScripts(db: ReadDb, query: ScriptQuery & PageQuery): Promise<ScriptItem[]> {
  const { mine, shared, language, category, search, ...page } = query
  let scripts = db
    .selectFrom('script_templates')
    .leftJoin('script_categories as c', (join) =>
      join
        .onRef('c.account_id', '=', 'script_templates.account_id')
        .onRef('c.id', '=', 'script_templates.category_id'),
    )
    .select([...itemColumns, 'c.name as category'])
    .where('script_templates.account_id', 'in', [accountId, platformAccountId])
  if (mine !== undefined) scripts = scripts.where('script_templates.created_by', mine ? '=' : '<>', userId)
  if (shared !== undefined)
    scripts = scripts.where(
      sql<boolean>`(script_templates.is_shared or script_templates.account_id = ${platformAccountId}) = ${shared}`,
    )
  if (language) scripts = scripts.where('script_templates.language', '=', language)
  if (category) scripts = scripts.where(sql<boolean>`app.name_key(c.name) = app.name_key(${category})`)
  if (search)
    scripts = scripts.where(
      'script_templates.id',
      'in',
      sql<string>`(select ${callFunction('app.find_scripts', { p_words: toWordPatterns(search) })})`,
    )
  return scripts.$call(selectPage(nameOrder(), page, 'script_templates')).execute()
}

export function selectScript(db: ReadDb, id: string): Promise<ScriptRow | undefined> {
  return db.selectFrom('script_templates').select(scriptColumns).where('id', '=', id).executeTakeFirst()
}

export function insertScript(
  db: WriteDb,
  { parameters_schema = [], ...columns }: ScriptCreate,
  slug: string,
): Promise<ScriptRow> {
  return db
    .insertInto('script_templates')
    .values({ ...columns, team_id: teamId, slug, parameters_schema: jsonb(parameters_schema) })
    .returning(scriptColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Update the columns in `changes`. Return undefined if the stored version is not `version` or the caller may
 * not change the script.
 */
export function updateScript(
  db: WriteDb,
  id: string,
  version: number,
  changes: ScriptChanges,
): Promise<ScriptRow | undefined> {
  const { parameters_schema, ...columns } = changes
  return db
    .updateTable('script_templates')
    .set({
      ...columns,
      parameters_schema: parameters_schema && jsonb(parameters_schema),
      version: version + 1,
      saved_by: userId,
      updated_at: nextUpdatedAt,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .where(isEditable('script_templates'))
    .returning(scriptColumns)
    .executeTakeFirst()
}

export function shareScript(db: WriteDb, id: string, isShared: boolean): Promise<ScriptRow | undefined> {
  return db
    .updateTable('script_templates')
    .set({ is_shared: isShared })
    .where('id', '=', id)
    .where(isEditable('script_templates'))
    .returning(scriptColumns)
    .executeTakeFirst()
}

export async function deleteScript(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('script_templates')
    .where('id', '=', id)
    .where(isEditable('script_templates'))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export const countUse = writeStatement(
  null,
  (id: string) => sql`select from ${callFunction('app.count_script_use', { p_id: id })}`,
)

const scriptCount = sql<number>`
  (select count(*)::integer from script_templates s where s.account_id = script_categories.account_id and s.category_id = script_categories.id)`
const categoryColumns = ['id', 'name', 'created_at', scriptCount.as('count')] as const

export function selectCategories(db: ReadDb, page: PageQuery): Promise<ScriptCategory[]> {
  return db
    .selectFrom('script_categories')
    .select(categoryColumns)
    .where('account_id', '=', accountId)
    .$call(selectPage(nameOrder(), page))
    .execute()
}

export function insertCategory(db: WriteDb, name: string): Promise<ScriptCategory> {
  return db
    .insertInto('script_categories')
    .values({ name })
    .returning(categoryColumns)
    .executeTakeFirstOrThrow()
}
