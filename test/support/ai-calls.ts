import type { WriteDb } from '#db/scope.ts'
import { defaultPrices } from '#rules/ai/prices.ts'

/**
 * Create the context of `ask` with a ledger that is not stored: each call may start. `outcomes` lists how the
 * calls ended, and `costs` their micro-dollars.
 */
export function createAskContext() {
  const outcomes: unknown[] = []
  const costs: unknown[] = []
  const executeQuery = async ({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => {
    if (sql.includes('finish_ai_call')) {
      outcomes.push(parameters[1])
      costs.push(parameters[6])
    }
    return { rows: [{ id: crypto.randomUUID() }] }
  }
  const waits: number[] = []
  return {
    context: {
      db: { executeQuery } as unknown as WriteDb,
      config: { AI_REDACTION: 'none' as const, AI_PRICES: defaultPrices, AI_UNPAID_DAILY_BUDGET: 50 },
      wait: async (ms: number) => void waits.push(ms),
    },
    outcomes,
    costs,
    waits,
  }
}
