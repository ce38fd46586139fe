import { sql } from 'kysely'
import type { WriteDb } from '../scope.ts'

/** What one question cost: calls, failed calls among them, and tokens in and out. */
export interface AiUsage {
  prompt: string
  model: string
  calls: number
  failed: number
  input: number
  output: number
}

/** Add to the account's usage of the day. */
export async function recordAiUsage(db: Pick<WriteDb, 'getExecutor'>, usage: AiUsage): Promise<void> {
  const { prompt, model, calls, failed, input, output } = usage
  await sql`select app.record_ai_usage(${prompt}, ${model}, ${calls}, ${failed}, ${input}, ${output})`.execute(db as WriteDb)
}
