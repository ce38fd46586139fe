import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { jsonb } from '#db/expressions.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { FlowVersionRecord, RecordOf } from '#functions/accounts/import-records/schemas.ts'

/** The columns of a row that an import chooses: its new id and the new ids of what it refers to. */
type Row<R, References extends string = never> = Omit<R, References | 'id'> & { id: string } & Record<References, string | null>
export type TeamRow = Row<RecordOf<'teams'>>
export type CategoryRow = Row<RecordOf<'categories'>>
export type ScriptRow = Row<RecordOf<'scripts'>, 'team_id' | 'category_id'> & { slug: string }
export type DeviceTypeRow = Row<RecordOf<'device_types'>, 'team_id'>
export type DiagramRow = Row<RecordOf<'diagrams'>, 'team_id'>
export type TargetListRow = Row<RecordOf<'target_lists'>, 'team_id'>
export type LibraryStepRow = Row<RecordOf<'library_steps'>, 'team_id' | 'source_tree_id'>
export type FlowVersionRow = Row<FlowVersionRecord, 'tree_id'>

export interface FlowRow {
  id: string
  team_id: string | null
  tree_type: string
  status: string
  visibility: string
  name: string
  description: string
  category_id: string | null
  tags: string[]
  version: number
  parent_tree_id: string | null
  root_tree_id: string | null
  fork_depth: number
  fork_reason: string | null
  import_metadata: Record<string, unknown>
}

/** Start the import, and write its audit entry. Return false if the account is not empty. */
export const startImport = writeStatement(
  z.object({ is_started: z.boolean() }),
  (counts: Record<string, number>) => sql`select ${callFunction('app.start_import', { p_counts: JSON.stringify(counts) })} as is_started`,
)

/** Select the ids and names of what an import does not create a second time. */
export const selectNamed = readStatement(
  z.object({ kind: z.enum(['teams', 'categories', 'script_categories']), id: notNull<string>(), name: notNull<string>() }),
  () => sql`
    select 'teams' as kind, t.id, t.name from teams t where t.account_id = app.account_id()
    union all select 'categories', c.id, c.name from categories c where c.account_id = app.account_id()
    union all select 'script_categories', c.id, c.name from script_categories c where c.account_id = app.account_id()`,
)

export const updateSettings = writeStatement(
  null,
  ({ timezone, settings, preferences, brand_colour, ...days }: RecordOf<'account'>) => sql`
    update accounts set timezone = ${timezone}, settings = ${jsonb(settings)}, preferences = ${jsonb(preferences)}, brand_colour = ${brand_colour},
           audit_log_days = ${days.audit_log_days}, notification_days = ${days.notification_days}, ai_message_days = ${days.ai_message_days},
           session_days = ${days.session_days}::integer
     where id = app.account_id()`,
)

export const insertTeams = writeStatement(
  null,
  (rows: readonly TeamRow[]) => sql`
    insert into teams (id, name, timezone, branding_company_name, branding_primary_colour, branding_footer_text)
    select id, name, timezone, branding_company_name, branding_primary_colour, branding_footer_text
      from jsonb_to_recordset(${jsonb(rows)})
        as r (id uuid, name text, timezone text, branding_company_name text, branding_primary_colour text, branding_footer_text text)`,
)

export const insertCategories = writeStatement(
  null,
  (rows: readonly CategoryRow[]) => sql`
    insert into categories (id, name, team_id)
    select id, name, app.team_id() from jsonb_to_recordset(${jsonb(rows)}) as r (id uuid, name text)`,
)

export const insertScriptCategories = writeStatement(
  null,
  (rows: readonly CategoryRow[]) => sql`
    insert into script_categories (id, name) select id, name from jsonb_to_recordset(${jsonb(rows)}) as r (id uuid, name text)`,
)

export const insertScripts = writeStatement(
  null,
  (rows: readonly ScriptRow[]) => sql`
    insert into script_templates
      (id, team_id, name, slug, description, script_body, parameters_schema, language, requires_elevation, risk, category_id, is_shared)
    select id, coalesce(team_id, app.team_id()), name, slug, coalesce(description, ''), script_body, coalesce(parameters_schema, '[]'), language,
           coalesce(requires_elevation, false), coalesce(risk, 'low'), category_id, is_shared
      from jsonb_to_recordset(${jsonb(rows)})
        as r (id uuid, team_id uuid, name text, slug text, description text, script_body text, parameters_schema jsonb, language text,
              requires_elevation boolean, risk text, category_id uuid, is_shared boolean)`,
)

export const insertDeviceTypes = writeStatement(
  null,
  (rows: readonly DeviceTypeRow[]) => sql`
    insert into device_types (id, team_id, name, category, icon)
    select id, team_id, name, category, icon
      from jsonb_to_recordset(${jsonb(rows)}) as r (id uuid, team_id uuid, name text, category text, icon text)
    on conflict do nothing`,
)

export const insertDiagrams = writeStatement(
  null,
  (rows: readonly DiagramRow[]) => sql`
    insert into network_diagrams (id, team_id, name, description, client_name, asset_name, nodes, edges, is_archived)
    select id, coalesce(team_id, app.team_id()), name, coalesce(description, ''), client_name, asset_name, nodes, edges, is_archived
      from jsonb_to_recordset(${jsonb(rows)})
        as r (id uuid, team_id uuid, name text, description text, client_name text, asset_name text, nodes jsonb, edges jsonb, is_archived boolean)`,
)

export const insertTargetLists = writeStatement(
  null,
  (rows: readonly TargetListRow[]) => sql`
    insert into target_lists (id, team_id, name, description, targets)
    select id, coalesce(team_id, app.team_id()), name, description, targets
      from jsonb_to_recordset(${jsonb(rows)}) as r (id uuid, team_id uuid, name text, description text, targets jsonb)`,
)

export const insertFlows = writeStatement(
  null,
  (rows: readonly FlowRow[]) => sql`
    insert into trees (id, team_id, tree_type, status, visibility, name, description, category_id, tags, version, published_at, import_metadata,
                       parent_account_id, parent_tree_id, root_account_id, root_tree_id, fork_depth, fork_reason)
    select id, coalesce(team_id, app.team_id()), tree_type, status, visibility, name, description, category_id, tags, version,
           case when status = 'published' then app.now() end, import_metadata, case when parent_tree_id is not null then app.account_id() end,
           parent_tree_id, case when root_tree_id is not null then app.account_id() end, root_tree_id, fork_depth, fork_reason
      from jsonb_to_recordset(${jsonb(rows)})
        as r (id uuid, team_id uuid, tree_type text, status text, visibility text, name text, description text, category_id uuid, tags text[],
              version integer, import_metadata jsonb, parent_tree_id uuid, root_tree_id uuid, fork_depth integer, fork_reason text)`,
)

/** Select the published flows that ship with the service. Every account can run them as sub-flows. */
export const selectPlatformFlows = readStatement(
  z.object({ id: z.string() }),
  () => sql`select t.id from trees t where t.account_id = app.platform_account() and t.status = 'published' and t.deleted_at is null`,
)

export const insertFlowVersions = writeStatement(
  null,
  (rows: readonly FlowVersionRow[]) => sql`
    insert into tree_versions (id, tree_id, version, status, name, description, category, tree_type, tree_structure, intake_form, restored_from)
    select id, tree_id, version, status, name, description, category, tree_type, nullif(tree_structure, 'null'), intake_form, restored_from
      from jsonb_to_recordset(${jsonb(rows)})
        as r (id uuid, tree_id uuid, version integer, status text, name text, description text, category text, tree_type text, tree_structure jsonb,
              intake_form jsonb, restored_from integer)`,
)

export const insertLibrarySteps = writeStatement(
  null,
  (rows: readonly LibraryStepRow[]) => sql`
    insert into library_steps
      (id, team_id, visibility, title, description, step_type, source_tree_id, source_node_id, source_tree_name, is_active)
    select id, coalesce(team_id, app.team_id()), visibility, title, description, step_type, source_tree_id, source_node_id, source_tree_name, is_active
      from jsonb_to_recordset(${jsonb(rows)})
        as r (id uuid, team_id uuid, visibility text, title text, description text, step_type text, source_tree_id uuid, source_node_id text,
              source_tree_name text, is_active boolean)
    on conflict do nothing`,
)
