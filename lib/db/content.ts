import type { PlatformContent, StarterFlow } from './content-files.ts'

/** The part of a PostgreSQL client that loading needs. */
interface SqlClient {
  query(text: string, values: unknown[]): Promise<{ rowCount: number | null }>
}

/**
 * Insert the platform's categories, device types and flows that are new, and update those that differ from their files. A flow that differs
 * gets a new version, as when it is published; sessions and forks keep theirs. Rows of other accounts are never written, and rows without a
 * file stay. Return the files whose content was written. Call it in a transaction.
 */
export async function loadContent(client: SqlClient, { categories, deviceTypes, flows }: PlatformContent): Promise<string[]> {
  const files = new Set<string>()
  const run = async (file: string, sql: string, values: unknown[]) => {
    const { rowCount } = await client.query(sql, values)
    if (rowCount) files.add(file)
    return rowCount === 1
  }
  for (const { id, name, file } of categories) await run(file, upsertCategory, [id, name])
  for (const { id, name, category, icon, file } of deviceTypes) await run(file, upsertDeviceType, [id, name, category, icon])
  for (const { file, ...flow } of flows) {
    const values = toFlowValues(flow)
    const isWritten = (await run(file, insertFlow, values.slice(0, flowColumnCount))) || (await run(file, updateFlow, values))
    if (isWritten) await run(file, insertVersion, [flow.id, ...values.slice(flowColumnCount)])
  }
  return [...files]
}

const flowColumnCount = 6

/** Return the parameters of `updateFlow`: the columns of `trees`, then those of `tree_versions` that `trees` does not have. */
function toFlowValues({ id, tree_type, name, description, categoryId, tags, category, tree_structure, intake_form }: StarterFlow) {
  const versionValues = [category, JSON.stringify(tree_structure), JSON.stringify(intake_form ?? [])]
  return [id, tree_type, name, description ?? '', categoryId, tags ?? [], ...versionValues]
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

const insertFlow = `
  insert into trees (id, account_id, author_id, tree_type, status, visibility, name, description, category_id, tags, published_at)
    values ($1, app.platform_account(), app.service_user(), $2, 'published', 'public', $3, $4, $5, $6, app.now())
  on conflict (id) do nothing`

const updateFlow = `
  update trees t
     set tree_type = $2, status = 'published', name = $3, description = $4, category_id = $5, tags = $6, version = t.version + 1,
         updated_at = app.now()
    from tree_versions v
   where t.account_id = app.platform_account() and t.id = $1
     and v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     and (t.tree_type, t.name, t.description, t.category_id, t.tags, v.category, v.tree_structure, v.intake_form)
         is distinct from ($2, $3, $4, $5::uuid, $6::text[], $7, $8::jsonb, $9::jsonb)`

const insertVersion = `
  insert into tree_versions
    (account_id, tree_id, version, status, name, description, category, tree_type, tree_structure, intake_form, saved_by)
  select t.account_id, t.id, t.version, t.status, t.name, t.description, $2, t.tree_type, $3, $4, app.service_user()
    from trees t where t.account_id = app.platform_account() and t.id = $1`
