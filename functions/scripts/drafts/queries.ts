import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { ScriptParameter } from '../../../lib/scripts/schema.ts'
import type { DraftTemplate } from './schemas.ts'

export interface DraftRow extends DraftTemplate {
  proposed_parameters: ScriptParameter[]
}

const draftColumns = sql`
  d.id, d.status, d.name, d.description, d.language, d.script_body, d.proposed_parameters, d.source_session_id, d.promoted_template_id,
  d.created_by, d.created_at, d.resolved_at`

export async function selectDrafts(db: ReadDb, pendingOnly: boolean, { skip, limit }: PageQuery): Promise<DraftRow[]> {
  const { rows } = await sql<DraftRow>`
    select ${draftColumns} from draft_templates d where d.account_id = app.account_id() ${pendingOnly ? sql`and d.status = 'pending'` : sql``}
     order by d.created_at desc, d.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectDraft(db: ReadDb, id: string): Promise<DraftRow | undefined> {
  return (await sql<DraftRow>`select ${draftColumns} from draft_templates d where d.id = ${id}`.execute(db as WriteDb)).rows[0]
}

/** A script proposed as a template, from a fix of the caller's AI session. */
export interface NewDraft {
  name: string
  description: string
  language: DraftTemplate['language']
  script_body: string
  proposed_parameters: readonly ScriptParameter[]
  source_session_id: string
  source_ticket_ref: string | null
  source_fix_id: string
}

/** Insert a draft and return its id. If the caller has a pending draft of the same script and fix, return the id of that draft instead. */
export async function insertDraft(db: WriteDb, { proposed_parameters, ...draft }: NewDraft): Promise<string> {
  const insert = sql`
    insert into draft_templates (team_id, proposed_parameters, ${sql.join(Object.keys(draft).map((column) => sql.ref(column)))})
    values (app.team_id(), ${JSON.stringify(proposed_parameters)}::jsonb, ${sql.join(Object.values(draft))}) on conflict do nothing`
  const select = sql<{ id: string }>`
    select d.id from draft_templates d
     where d.account_id = app.account_id() and d.created_by = app.user_id() and d.source_fix_id = ${draft.source_fix_id}
       and md5(d.script_body) = md5(${draft.script_body}) and d.status = 'pending'`
  const [, rows] = await db.batch([statement(db, insert), statement(db, select)])
  return (rows[0] as { id: string }).id
}

/** The fields of the template that a draft becomes. */
export interface Promotion {
  slug: string
  name: string
  description: string
  script_body: string
  parameters_schema: readonly ScriptParameter[]
  category_id: string | null
}

/** Insert the template and accept the draft in one statement. Return the template's id; undefined if the draft is not pending. */
export async function promoteDraft(db: WriteDb, id: string, template: Promotion): Promise<string | undefined> {
  const { slug, name, description, script_body, parameters_schema, category_id } = template
  const { rows } = await sql<{ id: string }>`
    with pending_draft as (
      select * from draft_templates d where d.account_id = app.account_id() and d.id = ${id} and d.status = 'pending' for update
    ), inserted_template as (
      insert into script_templates (team_id, name, slug, description, script_body, parameters_schema, language, category_id,
                                    source_session_id, source_user_id, source_ticket_ref)
      select p.team_id, ${name}, ${slug}, ${description}, ${script_body}, ${JSON.stringify(parameters_schema)}::jsonb, p.language,
             ${category_id}::uuid, p.source_session_id, p.created_by, p.source_ticket_ref from pending_draft p
      returning id
    )
    update draft_templates d set status = 'accepted', promoted_template_id = inserted_template.id, resolved_at = app.now()
      from inserted_template, pending_draft where d.id = pending_draft.id returning inserted_template.id`.execute(db)
  return rows[0]?.id
}

export async function rejectDraft(db: WriteDb, id: string): Promise<DraftRow | undefined> {
  const { rows } = await sql<DraftRow>`
    update draft_templates d set status = 'rejected', resolved_at = app.now()
     where d.account_id = app.account_id() and d.id = ${id} and d.status = 'pending' returning ${draftColumns}`.execute(db)
  return rows[0]
}
