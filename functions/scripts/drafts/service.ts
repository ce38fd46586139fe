import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { sqlState, violated } from '../../../lib/db/sqlstate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as scripts from '../scripts/service.ts'
import * as queries from './queries.ts'
import type { DraftAccept } from './schemas.ts'

export async function list({ db }: Reader, { pending_only, ...page }: { pending_only: boolean } & PageQuery) {
  return toPage(await queries.selectDrafts(db, pending_only, page), page.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string) {
  const draft = await queries.selectDraft(db, id)
  if (!draft) throw new Problem('not_found', 'Draft not found')
  return draft
}

/** Puts a script forward as a template; answers the draft's id, the same for the same script of the same fix while it is pending. */
export function propose({ db }: Pick<Writer, 'db'>, draft: queries.NewDraft): Promise<string> {
  return queries.insertDraft(db, draft)
}

export async function accept(ctx: Writer, id: string, edited: DraftAccept) {
  const draft = await get(ctx, id)
  if (draft.status !== 'pending') throw resolved(draft.status)
  const name = edited.name ?? draft.name
  const template = {
    slug: scripts.newSlug(name),
    name,
    description: edited.description ?? draft.description,
    script_body: edited.script_body ?? draft.script_body,
    parameters_schema: edited.parameters_schema ?? draft.proposed_parameters,
    category_id: edited.category_id ?? null,
  }
  scripts.requireSafe({ ...template, language: draft.language })
  const made = await queries.promoteDraft(ctx.db, id, template).catch(unknownCategory)
  if (!made) throw resolved((await get(ctx, id)).status)
  return scripts.get(ctx, made)
}

export async function reject({ db }: Writer, id: string) {
  const rejected = await queries.rejectDraft(db, id)
  if (rejected) return rejected
  throw resolved((await get({ db }, id)).status)
}

function resolved(status: string): Problem {
  return new Problem('conflict', `This draft was ${status} already`, { code: 'draft_resolved' })
}

function unknownCategory(error: unknown): never {
  const ours = sqlState(error) === '23503' && violated(error)?.includes('category')
  throw ours ? new Problem('bad_request', 'No such category', { code: 'unknown_category' }) : error
}
