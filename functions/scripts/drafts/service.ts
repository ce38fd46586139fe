import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { getSqlState, getViolatedConstraint } from '#db/sqlstate.ts'
import * as scripts from '#functions/scripts/scripts/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import { useLineEndsOf } from '#rules/scripts/line-ends.ts'
import * as queries from './queries.ts'
import type { DraftAccept } from './schemas.ts'

export async function list(
  { db }: ReadContext,
  { pending_only, ...page }: { pending_only: boolean } & PageQuery,
) {
  return toPage(await queries.selectDrafts(db, pending_only, page), page, newestFirst)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string) {
  return (await queries.selectDraft(db, id)) ?? throwNotFound('Draft')
}

/**
 * Propose a script as a template and return the draft's id. Idempotent for the same script and fix while the
 * draft is pending.
 */
export function propose({ db }: Pick<WriteContext, 'db'>, draft: queries.NewDraft): Promise<string> {
  return queries.insertDraft(db, draft)
}

/** Create a template from a draft. Fields in `changes` replace those of the draft. */
export async function accept(ctx: WriteContext, id: string, changes: DraftAccept) {
  const draft = await get(ctx, id)
  if (draft.status !== 'pending') throw createDecidedProblem(draft.status)
  const name = changes.name ?? draft.name
  const template = {
    language: draft.language,
    slug: scripts.createUniqueSlug(name),
    name,
    description: changes.description ?? draft.description,
    script_body: useLineEndsOf(draft.language, changes.script_body ?? draft.script_body),
    parameters_schema: changes.parameters_schema ?? draft.proposed_parameters,
    category_id: changes.category_id ?? null,
  }
  scripts.requireSafePlaceholders(template, 'script_body')
  const promoted = await queries.promoteDraft
    .first(ctx.db, id, scripts.assess(template))
    .catch(throwUnknownCategory)
  if (!promoted) throw createDecidedProblem((await get(ctx, id)).status)
  return scripts.get(ctx, promoted.id)
}

export async function reject({ db }: WriteContext, id: string) {
  const draft = await queries.rejectDraft(db, id)
  if (draft) return draft
  throw createDecidedProblem((await get({ db }, id)).status)
}

function createDecidedProblem(status: string): Problem {
  return new Problem('already_decided', `This draft was already ${status}`)
}

function throwUnknownCategory(error: unknown): never {
  const isCategory = getSqlState(error) === '23503' && getViolatedConstraint(error)?.includes('category')
  throw isCategory ? new Problem('unknown_category') : error
}
