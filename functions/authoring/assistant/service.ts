import { askUntilFit } from '../../../lib/ai/ask-until-valid.ts'
import { flowEdit } from '../../../lib/ai/prompts/authoring.ts'
import { normaliseStructure } from '../../../lib/flows/normalise.ts'
import { patchStructure } from '../../../lib/flows/patch.ts'
import { hasStep } from '../../../lib/flows/run.ts'
import { validateFlow } from '../../../lib/flows/validate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as trees from '../../flows/trees/service.ts'
import * as queries from './queries.ts'
import type { AiQuota, Suggest, Suggestion } from './schemas.ts'

export async function quota({ db }: Pick<Reader, 'db'>): Promise<AiQuota> {
  const { seconds: _, ...shown } = await queries.selectQuota(db)
  return shown
}

/** Throws 429 while no build is left, so that no model is paid for in vain. It holds nothing: `countBuild` decides. */
export async function requireBuild({ db }: Pick<Reader, 'db'>): Promise<void> {
  const state = await queries.selectQuota(db)
  if (state.limit !== null && state.used >= state.limit) throw exceeded(state)
}

/** Counts one build in the transaction that stores it; throws 429 when others took the last one meanwhile. */
export async function countBuild(db: Writer['db']): Promise<void> {
  if (await queries.countBuild(db)) return
  throw exceeded(await queries.selectQuota(db))
}

/** One edit of the flow at hand, tried on a copy; nothing is stored. */
export async function suggest(ctx: Writer, { tree_structure, tree_type, instruction, node_id }: Suggest): Promise<Suggestion> {
  if (node_id !== undefined && !hasStep(tree_structure, node_id))
    throw invalid([{ loc: ['body', 'node_id'], msg: 'No such node of this flow', type: 'unknown' }])
  const before = { tree_type, tree_structure: normaliseStructure(tree_structure), intake_form: [] }
  trees.requireFit(before, 'draft')
  const facts = { tree_type, instruction, node: node_id ?? null, structure: tree_structure }
  return askUntilFit<typeof flowEdit.answer, Suggestion>(ctx, flowEdit, { facts }, ({ explanation, patch: written }) => {
    const patched = patchStructure(tree_type, tree_structure, written)
    if ('problems' in patched) return patched
    const { patch, result } = patched
    const after = { ...before, tree_structure: normaliseStructure(result) }
    return { fit: { patch, explanation, result, problems: validateFlow(after, 'published').errors } }
  })
}

function exceeded({ resets_at, seconds }: Awaited<ReturnType<typeof queries.selectQuota>>): Problem {
  const detail = 'Every AI build of this month is used'
  return new Problem('rate_limited', detail, {
    code: 'ai_quota_exceeded',
    facts: { resets_at },
    headers: { 'retry-after': String(seconds) },
  })
}
