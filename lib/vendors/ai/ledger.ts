import { type AiCallOutcome, finishAiCall, startAiCall } from '#db/rows/ai-calls.ts'
import type { WriteDb } from '#db/scope.ts'
import { record } from '#metrics.ts'
import type { TokenUsage } from '#rules/ai/prices.ts'
import { computeCost, type Prices } from '#rules/ai/prices.ts'
import { AiFailure, type AiFailureKind, type AiPort, type Completion, type CompletionResult, noUsage, type ToolCall } from './ai.ts'
import { createBudgetProblem, toUnpaidLimit } from './budget.ts'
import { estimateUsage } from './token-estimate.ts'

export interface LedgerContext {
  db: WriteDb
  ai: AiPort
  config: { AI_PRICES: Prices; AI_UNPAID_DAILY_BUDGET: number }
}

// The usual tokens of an answer and its reasoning. Until a call ends, its input and this many tokens count against the budget.
const expectedOutputTokens = 1500

const microdollars = 1_000_000

const outcomes: Record<AiFailureKind, AiCallOutcome> = {
  timeout: 'timed_out',
  rejected: 'rejected',
  unavailable: 'rejected',
  limited: 'limited',
  truncated: 'truncated',
  declined: 'declined',
  unusable: 'unusable',
  failed: 'failed',
}

/**
 * Call the model and parse its answer. A row in the ledger is inserted before the call, so that a call whose process ends counts too. Throw
 * 429 `ai_budget_exhausted` without calling the model when the account has used its budget.
 */
export async function callMetered<T>(
  context: LedgerContext,
  completion: Completion,
  parse: (text: string, toolCalls: readonly ToolCall[]) => T,
): Promise<T> {
  const { db, ai, config } = context
  const toCost = (usage: TokenUsage) => computeCost(config.AI_PRICES, ai.model, usage)
  const expected = { ...estimateUsage(completion, ''), output: Math.min(completion.maxTokens, expectedOutputTokens) }
  const { id } = await startAiCall.one(db, {
    prompt: completion.name,
    version: completion.version,
    model: ai.model,
    reserved: toCost(expected),
    unpaidLimit: toUnpaidLimit(context),
  })
  if (id === null) throw await createBudgetProblem(context)
  const finish = async (outcome: AiCallOutcome, { usage, requestId }: Pick<CompletionResult, 'usage' | 'requestId'>) => {
    recordCall(completion.name, outcome, usage, toCost(usage))
    // If the result cannot be stored, the call keeps its reserved cost.
    await finishAiCall.run(db, id, { outcome, ...usage, cost: toCost(usage), requestId }).catch(() => {})
  }
  const completed = await ai.complete(completion).catch(async (error: unknown) => {
    const failure = error instanceof AiFailure ? error : undefined
    const { usage, requestId } = failure ?? { usage: noUsage, requestId: null }
    // The provider counts the reasoning of a call that was cut off, which nobody has seen. So what was reserved for it stays counted.
    const output = usage.isEstimated ? Math.max(usage.output, expected.output) : usage.output
    await finish(failure ? outcomes[failure.kind] : 'failed', { usage: { ...usage, output }, requestId })
    throw error
  })
  try {
    const answer = parse(completed.text, completed.toolCalls ?? [])
    await finish('answered', completed)
    return answer
  } catch (error) {
    await finish('unusable', completed)
    throw error
  }
}

function recordCall(prompt: string, outcome: AiCallOutcome, { input, cached, output, reasoning }: TokenUsage, cost: number): void {
  record('aiCalls', { prompt, outcome })
  for (const [kind, tokens] of Object.entries({ input, cached, output, reasoning })) record('aiTokens', { kind }, tokens)
  record('aiCost', {}, cost / microdollars)
}
