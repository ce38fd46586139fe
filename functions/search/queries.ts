import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { readStatement } from '#db/statement.ts'
import { type SearchType, searchTypes } from './schemas.ts'

type Sql = RawBuilder<unknown>

/** How the rows of a type, named `r`, are read. */
interface Source {
  table: Sql
  /** What the operations of the type demand beyond the policies. */
  condition?: Sql
  join?: Sql
  title: Sql
  text: Sql
  treeId?: Sql
  treeName?: Sql
  ticket?: Sql
  client?: Sql
  changedAt?: Sql
}

const articleText = sql`(
  select string_agg(b.item ->> 'text', ' ' order by b.place) from jsonb_array_elements(r.blocks) with ordinality b (item, place))`
const findStep = sql`
  join tree_versions v on v.account_id = r.account_id and v.tree_id = r.id and v.version = r.version
  join lateral app.list_steps(v.tree_structure) s on s.id = f.step_id`

const sessionText = sql`concat_ws(' ', r.ticket_number, r.client_name, r.target_label, r.notes, r.next_steps)`

const sources: Record<SearchType, Source> = {
  flow: {
    table: sql`trees`,
    condition: sql`r.deleted_at is null`,
    title: sql`r.name`,
    text: sql`concat_ws(' ', r.description, array_to_string(r.tags, ' '))`,
    treeId: sql`r.id`,
    treeName: sql`r.name`,
  },
  step: {
    table: sql`trees`,
    condition: sql`r.deleted_at is null and r.status = 'published'`,
    join: findStep,
    title: sql`s.title`,
    text: sql`s.description`,
    treeId: sql`r.id`,
    treeName: sql`r.name`,
  },
  library_step: {
    table: sql`library_steps`,
    condition: sql`r.is_active and app.sees(r.visibility, r.created_by, r.team_id)`,
    title: sql`r.title`,
    text: sql`r.description`,
  },
  script: {
    table: sql`script_templates`,
    title: sql`r.name`,
    text: sql`concat_ws(' ', r.description, r.script_body)`,
  },
  session: {
    table: sql`sessions`,
    // One of a colleague's private flow is found by its own words.
    condition: sql`(not app.hides_flow(r.tree_id) or app.fold(${sessionText}) like any (select '%' || app.fold(rtrim(m, '*')) || '%' from unnest(f.marks) m))`,
    title: sql`case when app.hides_flow(r.tree_id) then 'Private flow' else r.tree_name end`,
    text: sessionText,
    treeId: sql`case when not app.hides_flow(r.tree_id) then r.tree_id end`,
    treeName: sql`case when not app.hides_flow(r.tree_id) then r.tree_name end`,
    ticket: sql`r.ticket_number`,
    client: sql`r.client_name`,
    changedAt: sql`coalesce(r.completed_at, r.started_at, r.created_at)`,
  },
  ai_session: {
    table: sql`ai_sessions`,
    condition: sql`app.sees_ai_session(r)`,
    title: sql`r.title`,
    text: sql`concat_ws(' ', r.psa_ticket_id, r.client_name, r.asset_name, r.problem_summary, r.issue_category, r.triage_hypothesis, r.resolution_notes, r.resolution)`,
    treeId: sql`r.tree_id`,
    ticket: sql`r.psa_ticket_id`,
    client: sql`r.client_name`,
  },
  article: { table: sql`kb_imports`, title: sql`r.title`, text: articleText, treeId: sql`r.tree_id` },
  diagram: {
    table: sql`network_diagrams`,
    condition: sql`not r.is_archived`,
    title: sql`r.name`,
    text: sql`concat_ws(' ', r.client_name, r.asset_name, r.description, app.node_texts(r.nodes))`,
    client: sql`r.client_name`,
  },
}

// With `offset 0` each entry is looked up by its id. Otherwise the planner may read all rows of the account,
// because it expects few.
function testVisible(type: SearchType): Sql {
  const { table, condition = sql`true` } = sources[type]
  return sql`when ${sql.lit(type)} then exists (select from ${table} r where r.account_id = f.account_id and r.id = f.id and ${condition} offset 0)`
}

function selectDetails(type: SearchType): Sql {
  const { table, condition = sql`true`, join = sql``, title, text, ...links } = sources[type]
  const {
    treeId = sql`null`,
    treeName = sql`null`,
    ticket = sql`null`,
    client = sql`null`,
    changedAt = sql`r.updated_at`,
  } = links
  return sql`
    select f.place, ${title} as title, ${text} as text, ${treeId}::uuid as tree_id, ${treeName}::text as tree_name,
           ${ticket}::text as ticket_number, ${client}::text as client_name, ${changedAt} as updated_at
      from visible f join ${table} r on r.account_id = f.account_id and r.id = f.id ${join} where f.type = ${sql.lit(type)} and ${condition}`
}

const isVisible = sql.join(searchTypes.map(testVisible), sql` `)
const details = sql.join(searchTypes.map(selectDetails), sql` union all `)

const ResultRow = z.object({
  type: z.enum(searchTypes),
  id: z.string(),
  step_id: z.string().nullable(),
  title: z.string(),
  snippet: z.string(),
  score: z.number(),
  tree_id: z.string().nullable(),
  tree_name: z.string().nullable(),
  ticket_number: z.string().nullable(),
  client_name: z.string().nullable(),
  updated_at: z.string(),
  marks: z.array(z.string()),
})

// More than a page, because a policy may hide some of the entries that the index offers.
const extraEntries = 50

/**
 * Select what fits a search, best first. Only the texts of results are read, after the policies have hidden
 * what the caller may not see.
 */
export const selectResults = readStatement(
  ResultRow,
  (text: string, types: readonly SearchType[], limit: number) => sql`
    with found as materialized (select * from ${callFunction('app.find_entries', { p_text: text, p_types: types, p_limit: limit + extraEntries })}),
    visible as materialized (select f.* from found f where case f.type ${isVisible} end order by f.place limit ${limit})
    select v.type, v.id, nullif(v.step_id, '') as step_id, d.title, app.cut_snippet(coalesce(d.text, ''), v.marks) as snippet, v.score, d.tree_id,
           d.tree_name, d.ticket_number, d.client_name, app.iso(d.updated_at) as updated_at, v.marks
      from visible v join (${details}) d using (place) order by v.place`,
)
