import { sql } from 'kysely'
import { writeStatement } from '../statement.ts'

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
export const recordAiUsage = writeStatement(
  null,
  ({ prompt, model, calls, failed, input, output }: AiUsage) =>
    sql`select from app.record_ai_usage(${prompt}, ${model}, ${calls}, ${failed}, ${input}, ${output})`,
)
