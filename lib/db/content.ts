import { copiedColumns, copyColumns } from '#rules/flows/rfflow.ts'
import type { PlatformContent } from './content-files.ts'

/** The part of a PostgreSQL client that loading needs. */
interface SqlClient {
  query(text: string, values: unknown[]): Promise<{ rowCount: number | null }>
}

/**
 * Insert the platform's categories, device types and flows that are new, and update those that differ from
 * their files. A flow that differs gets a new version, as when it is published; sessions and forks keep
 * theirs. Rows of other accounts are never written, and rows without a file stay. Return the files whose
 * content was written. Call it in a transaction.
 */
export async function loadContent(
  client: SqlClient,
  { categories, deviceTypes, flows }: PlatformContent,
): Promise<string[]> {
  const files = new Set<string>()
  const run = async (file: string, sql: string, values: unknown[]) => {
    const { rowCount } = await client.query(sql, values)
    if (rowCount) files.add(file)
    return rowCount === 1
  }
  for (const { id, name, file } of categories) await run(file, upsertCategory, [id, name])
  for (const { id, name, category, icon, file } of deviceTypes)
    await run(file, upsertDeviceType, [id, name, category, icon])
  for (const { file, ...flow } of flows) {
    const { id, categoryId, category, tree_structure, intake_form } = flow
    const row = JSON.stringify({ ...copyColumns(flow), category_id: categoryId })
    const content = [category, JSON.stringify(tree_structure), JSON.stringify(intake_form ?? [])]
    const isWritten =
      (await run(file, insertFlow, [id, row])) || (await run(file, updateFlow, [id, row, ...content]))
    if (isWritten) await run(file, insertVersion, [id, ...content])
  }
  return [...files]
}

const upsertCategory = `
  insert into categories (id, account_id, name, created_by) values ($1, app.platform_account(), $2, app.service_user())
  on conflict (id) do update set name = excluded.name
   where categories.account_id = app.platform_account() and categories.name <> excluded.name`

const upsertDeviceType = `
  insert into device_types (id, account_id, name, category, icon, created_by)
    values ($1, app.platform_account(), $2, $3, $4, app.service_user())
  on conflict (id) do update set name = excluded.name, category = excluded.category, icon = excluded.icon
   where device_types.account_id = app.platform_account()
     and (device_types.name, device_types.category, device_types.icon) is distinct from (excluded.name, excluded.category, excluded.icon)`

const columns = [...copiedColumns, 'category_id']
const listColumns = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ')

const insertFlow = `
  insert into trees (id, account_id, author_id, status, visibility, published_at, ${columns.join(', ')})
  select $1, app.platform_account(), app.service_user(), 'published', 'public', app.now(), ${listColumns('r')}
    from jsonb_populate_record(null::trees, $2::jsonb) r
  on conflict (id) do nothing`

const updateFlow = `
  update trees t
     set (${columns.join(', ')}) = (select ${listColumns('r')}), status = 'published', version = t.version + 1, updated_at = app.now()
    from tree_versions v, jsonb_populate_record(null::trees, $2::jsonb) r
   where t.account_id = app.platform_account() and t.id = $1
     and v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     and (${listColumns('t')}, v.category, v.tree_structure, v.intake_form) is distinct from (${listColumns('r')}, $3, $4::jsonb, $5::jsonb)`

const insertVersion = `
  insert into tree_versions
    (account_id, tree_id, version, status, name, description, category, tree_type, tree_structure, intake_form, saved_by)
  select t.account_id, t.id, t.version, t.status, t.name, t.description, $2, t.tree_type, $3, $4, app.service_user()
    from trees t where t.account_id = app.platform_account() and t.id = $1`
