import { sql } from 'kysely'
import type { PageQuery } from '../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../lib/db/scope.ts'
import type { ScriptParameter } from '../../lib/scripts/schema.ts'
import type { DraftTemplate } from './schemas.ts'

export interface DraftRow extends DraftTemplate {
  proposed_parameters: ScriptParameter[]
}

const columns = sql`
  d.id, d.status, d.name, d.description, d.language, d.script_body, d.proposed_parameters, d.source_session_id, d.promoted_template_id,
  d.created_by, d.created_at, d.resolved_at`

export async function selectDrafts(db: ReadDb, pendingOnly: boolean, { skip, limit }: PageQuery): Promise<DraftRow[]> {
  const { rows } = await sql<DraftRow>`
    select ${columns} from draft_templates d where d.account_id = app.account_id() ${pendingOnly ? sql`and d.status = 'pending'` : sql``}
     order by d.created_at desc, d.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectDraft(db: ReadDb, id: string): Promise<DraftRow | undefined> {
  return (await sql<DraftRow>`select ${columns} from draft_templates d where d.id = ${id}`.execute(db as WriteDb)).rows[0]
}

export interface Promotion {
  slug: string
  name: string
  description: string
  script_body: string
  parameters_schema: readonly ScriptParameter[]
  category_id: string | null
}

/** The template's id, if the draft was still pending: it is made and the draft resolved in one statement. */
export async function promoteDraft(db: WriteDb, id: string, template: Promotion): Promise<string | undefined> {
  const { slug, name, description, script_body, parameters_schema, category_id } = template
  const { rows } = await sql<{ id: string }>`
    with pending as (
      select * from draft_templates d where d.account_id = app.account_id() and d.id = ${id} and d.status = 'pending' for update
    ), made as (
      insert into script_templates (team_id, name, slug, description, script_body, parameters_schema, language, category_id,
                                    source_session_id, source_user_id, source_ticket_ref)
      select p.team_id, ${name}, ${slug}, ${description}, ${script_body}, ${JSON.stringify(parameters_schema)}::jsonb, p.language,
             ${category_id}::uuid, p.source_session_id, p.created_by, p.source_ticket_ref from pending p
      returning id
    )
    update draft_templates d set status = 'accepted', promoted_template_id = made.id, resolved_at = app.now()
      from made, pending where d.id = pending.id returning made.id`.execute(db)
  return rows[0]?.id
}

export async function rejectDraft(db: WriteDb, id: string): Promise<DraftRow | undefined> {
  const { rows } = await sql<DraftRow>`
    update draft_templates d set status = 'rejected', resolved_at = app.now()
     where d.account_id = app.account_id() and d.id = ${id} and d.status = 'pending' returning ${columns}`.execute(db)
  return rows[0]
}
