import { type AiCallOutcome, finishAiCall, startAiCall } from '#db/rows/ai-calls.ts'
import type { WriteDb } from '#db/scope.ts'
import { record } from '#metrics.ts'
import type { TokenUsage } from '#rules/ai/prices.ts'
import { computeCost, type Prices } from '#rules/ai/prices.ts'
import {
  AiFailure,
  type AiFailureKind,
  type AiPort,
  type Completion,
  type CompletionResult,
  noUsage,
  type ToolCall,
} from './ai.ts'
import { createBudgetProblem, toUnpaidLimit } from './budget.ts'
import { estimateUsage } from './token-estimate.ts'

export interface LedgerContext {
  db: WriteDb
  ai: AiPort
  config: { AI_PRICES: Prices; AI_UNPAID_DAILY_BUDGET: number }
}

// The usual tokens of an answer and its reasoning. Until a call ends, its input and this many tokens count
// against the budget.
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
  too_long: 'rejected',
  failed: 'failed',
}

/** Call the model and parse its answer. See `meterCall`. */
export function callMetered<T>(
  context: LedgerContext,
  completion: Completion,
  parse: (text: string, toolCalls: readonly ToolCall[]) => T,
): Promise<T> {
  const { name, version, maxTokens } = completion
  const expected = { ...estimateUsage(completion, ''), output: Math.min(maxTokens, expectedOutputTokens) }
  return meterCall(
    context,
    { name, version, expected, send: () => context.ai.complete(completion) },
    ({ text, toolCalls = [] }) => parse(text, toolCalls),
  )
}

type Spent = Pick<CompletionResult, 'usage' | 'requestId'>

export interface MeteredCall<R extends Spent> {
  /** Name and version of the prompt. */
  name: string
  version: number
  /** The tokens that count until the call ends. */
  expected: TokenUsage
  send(): Promise<R>
}

/**
 * Call the provider and parse what it returns. A row in the ledger is inserted before the call, so that a
 * call whose process ends counts too. Throw 429 `ai_budget_exhausted` without calling the provider when the
 * account has used its budget.
 */
export async function meterCall<R extends Spent, T>(
  context: Omit<LedgerContext, 'ai'> & { ai: { readonly model: string } },
  { name, version, expected, send }: MeteredCall<R>,
  parse: (result: R) => T,
): Promise<T> {
  const { db, ai, config } = context
  const toCost = (usage: TokenUsage) => computeCost(config.AI_PRICES, ai.model, usage)
  const { id } = await startAiCall.one(db, {
    prompt: name,
    version,
    model: ai.model,
    reserved: toCost(expected),
    unpaidLimit: toUnpaidLimit(context),
  })
  if (id === null) throw await createBudgetProblem(context)
  const finish = async (outcome: AiCallOutcome, { usage, requestId }: Spent) => {
    recordCall(name, outcome, usage, toCost(usage))
    // If the result cannot be stored, the call keeps its reserved cost.
    await finishAiCall.run(db, id, { outcome, ...usage, cost: toCost(usage), requestId }).catch(() => {})
  }
  const result = await send().catch(async (error: unknown) => {
    const failure = error instanceof AiFailure ? error : undefined
    const { usage, requestId } = failure ?? { usage: noUsage, requestId: null }
    // The provider counts the reasoning of a call that was cut off, which nobody has seen. So what was
    // reserved for it stays counted.
    const output = usage.isEstimated ? Math.max(usage.output, expected.output) : usage.output
    await finish(failure ? outcomes[failure.kind] : 'failed', { usage: { ...usage, output }, requestId })
    throw error
  })
  try {
    const answer = parse(result)
    await finish('answered', result)
    return answer
  } catch (error) {
    await finish('unusable', result)
    throw error
  }
}

function recordCall(
  prompt: string,
  outcome: AiCallOutcome,
  { input, cached, output, reasoning }: TokenUsage,
  cost: number,
): void {
  record('aiCalls', { prompt, outcome })
  for (const [kind, tokens] of Object.entries({ input, cached, output, reasoning }))
    record('aiTokens', { kind }, tokens)
  record('aiCost', {}, cost / microdollars)
}
