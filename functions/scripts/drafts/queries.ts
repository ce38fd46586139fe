import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb, now, teamId, userId } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { ScriptParameter, ScriptRisk } from '#rules/scripts/schema.ts'
import type { DraftTemplate } from './schemas.ts'

const draftColumns = [
  'id',
  'status',
  'name',
  'description',
  'language',
  'script_body',
  'proposed_parameters',
  'source_session_id',
  'promoted_template_id',
  'created_by',
  'created_at',
  'resolved_at',
] as const

export function selectDrafts(db: ReadDb, pendingOnly: boolean, page: PageQuery): Promise<DraftTemplate[]> {
  let drafts = db.selectFrom('draft_templates').select(draftColumns).where('account_id', '=', accountId)
  if (pendingOnly) drafts = drafts.where('status', '=', sql.lit('pending'))
  return drafts.$call(selectPage(newestFirst, page)).execute()
}

export function selectDraft(db: ReadDb, id: string): Promise<DraftTemplate | undefined> {
  return db.selectFrom('draft_templates').select(draftColumns).where('id', '=', id).executeTakeFirst()
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

/**
 * Insert a draft and return its id. If the caller has a pending draft of the same script and fix, return the
 * id of that draft instead.
 */
export async function insertDraft(db: WriteDb, draft: NewDraft): Promise<string> {
  const insert = db
    .insertInto('draft_templates')
    .values({ ...draft, team_id: teamId, proposed_parameters: jsonb([...draft.proposed_parameters]) })
    .onConflict((conflict) => conflict.doNothing())
  const selectPending = db
    .selectFrom('draft_templates')
    .select('id')
    .where('account_id', '=', accountId)
    .where('created_by', '=', userId)
    .where('source_fix_id', '=', draft.source_fix_id)
    .where(sql<boolean>`md5(script_body) = md5(${draft.script_body})`)
    .where('status', '=', sql.lit('pending'))
  const [, rows] = await db.batch([insert, selectPending])
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
  risk: ScriptRisk
  requires_elevation: boolean
}

/**
 * Insert the template and accept the draft in one statement. The row has the template's id; there is none if
 * the draft is not pending.
 */
export const promoteDraft = writeStatement(
  z.object({ id: z.string() }),
  (
    id: string,
    {
      slug,
      name,
      description,
      script_body,
      parameters_schema,
      category_id,
      risk,
      requires_elevation,
    }: Promotion,
  ) => sql`
    with pending_draft as (
      select * from draft_templates d where d.account_id = app.account_id() and d.id = ${id} and d.status = 'pending' for update
    ), inserted_template as (
      insert into script_templates (team_id, name, slug, description, script_body, parameters_schema, language, category_id, risk, requires_elevation,
                                    source_session_id, source_user_id, source_ticket_ref)
      select p.team_id, ${name}, ${slug}, ${description}, ${script_body}, ${jsonb(parameters_schema)}, p.language,
             ${category_id}::uuid, ${risk}, ${requires_elevation}::boolean, p.source_session_id, p.created_by, p.source_ticket_ref from pending_draft p
      returning id
    )
    update draft_templates d set status = 'accepted', promoted_template_id = inserted_template.id, resolved_at = app.now()
      from inserted_template, pending_draft where d.id = pending_draft.id returning inserted_template.id`,
)

export function rejectDraft(db: WriteDb, id: string): Promise<DraftTemplate | undefined> {
  return db
    .updateTable('draft_templates')
    .set({ status: 'rejected', resolved_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returning(draftColumns)
    .executeTakeFirst()
}
