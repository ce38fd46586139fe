import { settleInTurn } from '#async/settle-all.ts'
import type { JobContext } from '#http/job.ts'
import { Problem } from '#problem.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { AiFailure } from '#vendors/ai/ai.ts'
import { embedTexts, maxEmbeddedCharacters, maxTextsPerCall } from '#vendors/ai/embeddings.ts'
import * as queries from './queries.ts'

export type SweepContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'embeddings' | 'config'>

interface SweepOptions {
  budgetMs: number
  now: () => number
}

const entriesPerClaim = 64
// Redaction before the cut finds a secret that the cut would split.
const readCharacters = maxEmbeddedCharacters + 500
const timeoutMs = 10_000

/**
 * Embed the entries whose text or model changed, in calls of one account each. The cron trigger calls this
 * each minute. What fails is due again in ten minutes, and does not stop the other accounts. Throw the first
 * failure at the end.
 */
export async function embedDue(ctx: SweepContext, { budgetMs, now }: SweepOptions): Promise<void> {
  if (!ctx.embeddings.isConfigured) return
  const end = now() + budgetMs
  while (now() < end) {
    const dueEntries = await queries.claimDueEntries.all(
      ctx.platform,
      ctx.embeddings.model,
      readCharacters,
      entriesPerClaim,
    )
    if (dueEntries.length === 0) return
    await settleInTurn(splitByAccount(dueEntries), async (entries) => {
      if (now() < end) await embedEntries(ctx, entries)
    })
  }
}

/** Split entries into lists of one account each, as long as a call may be. */
function splitByAccount(entries: readonly queries.DueEntry[]): queries.DueEntry[][] {
  return [...Map.groupBy(entries, ({ account_id }) => account_id).values()].flatMap((ofAccount) =>
    Array.from({ length: Math.ceil(ofAccount.length / maxTextsPerCall) }, (_, call) =>
      ofAccount.slice(call * maxTextsPerCall, (call + 1) * maxTextsPerCall),
    ),
  )
}

async function embedEntries(ctx: SweepContext, entries: readonly queries.DueEntry[]): Promise<void> {
  const isSettled = ({ is_embedded, text }: queries.DueEntry) => is_embedded || text.trim() === ''
  for (const entry of entries.filter(isSettled)) await queries.postponeEntry.run(ctx.platform, entry, null)
  const changed = entries.filter((entry) => entry.is_used && !isSettled(entry))
  if (changed.length > 0) await embedChanged(ctx, changed)
}

/**
 * Embed and store the entries. If the provider refuses a text, embed each half by itself, so that the others
 * are stored.
 */
async function embedChanged(ctx: SweepContext, entries: readonly queries.DueEntry[]): Promise<void> {
  const [first] = entries
  if (!first) return
  const { embeddings: port, config, platform } = ctx
  // Of its own, because the budget of the job belongs to all of its work.
  const budget = createBudget({ steps: jobSteps })
  const { db } = ctx.openAccountScope(first.account_id)
  const texts = entries.map(({ text }) => text)
  try {
    const embeddings = await runWithin(budget, () =>
      embedTexts({ db, embeddings: port, config }, texts, timeoutMs),
    )
    for (const [place, entry] of entries.entries())
      await queries.storeEmbedding.run(platform, entry, port.model, embeddings[place] ?? [])
  } catch (error) {
    // The entries wait until the account has a budget again.
    if (error instanceof Problem && error.kind === 'ai_budget_exhausted') return
    if (!(error instanceof AiFailure) || (error.kind !== 'rejected' && error.kind !== 'declined')) throw error
    if (entries.length === 1) return void (await queries.postponeEntry.run(platform, first, 1))
    const middle = Math.ceil(entries.length / 2)
    await embedChanged(ctx, entries.slice(0, middle))
    await embedChanged(ctx, entries.slice(middle))
  }
}
