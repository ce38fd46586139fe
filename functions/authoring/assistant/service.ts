import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, unknownId } from '#problem.ts'
import { editStructure } from '#rules/flows/edits.ts'
import { normaliseStructure } from '#rules/flows/normalise.ts'
import { containsStep } from '#rules/flows/step-navigation.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { askUntilValid } from '#vendors/ai/ask-until-valid.ts'
import { flowEdit } from '#vendors/ai/prompts/authoring.ts'
import * as queries from './queries.ts'
import type { AiQuota, Suggestion, SuggestionRequest } from './schemas.ts'

export async function getQuota({ db }: Pick<ReadContext, 'db'>): Promise<AiQuota> {
  const { seconds: _, ...quota } = await queries.selectQuota.one(db)
  return quota
}

/**
 * Throw 429 when no build is left, so that the model is not called in vain. Reserve nothing: `countBuild`
 * makes the final check.
 */
export async function requireBuild({ db }: Pick<ReadContext, 'db'>): Promise<void> {
  const quota = await queries.selectQuota.one(db)
  if (quota.limit !== null && quota.used >= quota.limit) throw quotaExceeded(quota)
}

/**
 * Count one build in the transaction that stores its result. Throw 429 when another request used the last
 * one.
 */
export async function countBuild(db: WriteContext['db']): Promise<void> {
  const { is_counted } = await queries.countBuild.one(db)
  if (is_counted) return
  throw quotaExceeded(await queries.selectQuota.one(db))
}

/** Ask the model for one edit and apply it to a copy of the flow. Stores nothing. */
export async function suggest(
  ctx: WriteContext,
  { tree_structure, tree_type, instruction, node_id }: SuggestionRequest,
): Promise<Suggestion> {
  if (node_id !== undefined && !containsStep(tree_structure, node_id))
    throw unknownId('node_id', 'node of this flow')
  const before = { tree_type, tree_structure: normaliseStructure(tree_structure), intake_form: [] }
  trees.requireValid(before, 'draft')
  const facts = { tree_type, structure: tree_structure, node: node_id ?? null, instruction }
  return askUntilValid<typeof flowEdit.answer, Suggestion>(
    ctx,
    flowEdit,
    { facts },
    ({ explanation, edits }) => {
      const outcome = editStructure(tree_type, tree_structure, edits)
      if ('problems' in outcome) return outcome
      const { patch, result } = outcome
      const after = { ...before, tree_structure: normaliseStructure(result) }
      return {
        value: { patch, explanation, result, problems: validateFlow(after, 'published').errors },
      }
    },
  )
}

function quotaExceeded({ resets_at, seconds }: Awaited<ReturnType<typeof queries.selectQuota.one>>): Problem {
  const detail = 'All AI builds of this month are used'
  return new Problem('ai_quota_exceeded', detail, {
    facts: { resets_at },
    headers: { 'retry-after': String(seconds) },
  })
}
