import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'

const totals = {
  calls: z.int().describe('Calls to the model.').meta({ example: 14 }),
  failed_calls: z.int().describe('Calls without a usable answer. They can cost tokens too.'),
  input_tokens: z.int().describe('Tokens sent, cached ones included.').meta({ example: 82_400 }),
  cached_tokens: z
    .int()
    .describe('Sent tokens that the provider had in its cache.')
    .meta({ example: 40_960 }),
  output_tokens: z.int().describe('Tokens received, reasoning included.').meta({ example: 11_200 }),
  reasoning_tokens: z.int().describe('Tokens of the reasoning before the answers.').meta({ example: 6400 }),
  cost_micros: z
    .int()
    .describe('Cost in millionths of a dollar. A running call counts with its reserved cost.')
    .meta({ example: 99_488 }),
}

export const AiUsageTotals = z.strictObject(totals).meta({ id: 'AIUsageTotals' })
export const AiUsageDay = z
  .strictObject({ date: z.iso.date().describe('The day in UTC.'), ...totals })
  .meta({ id: 'AIUsageDay' })
export const AiUsagePrompt = z
  .strictObject({
    prompt: z
      .string()
      .describe('The kind of request to the model, such as `chat_turn`.')
      .meta({ example: 'chat_turn' }),
    ...totals,
  })
  .meta({ id: 'AIUsagePrompt' })
export const AiUsagePerson = z
  .strictObject({
    user_id: Id.nullable().describe('Who caused the calls; null for a job.'),
    name: z.string().nullable().describe('The name of that person.').meta({ example: 'Maya Novak' }),
    ...totals,
  })
  .meta({ id: 'AIUsagePerson' })

export const AiUsageMonth = z
  .strictObject({
    starts_at: Time.describe('When the month started, counted from the billing cycle anchor.'),
    resets_at: Time.describe('When the next month starts.'),
    covers: z
      .enum(['account', 'own'])
      .meta({ id: 'AIUsageCoverage' })
      .describe('Whose calls the totals contain.'),
    used_micros: z
      .int()
      .describe("The part of the month's budget that the account has used, in millionths of a dollar.")
      .meta({ example: 99_488 }),
    limit_micros: z.int().nullable().describe('The budget; null for none.').meta({ example: 50_000_000 }),
  })
  .meta({ id: 'AIUsageMonth' })

export const AiUsage = z
  .strictObject({
    month: AiUsageMonth.describe('The month and its budget.'),
    total: AiUsageTotals.describe('All calls of the month.'),
    by_day: z.array(AiUsageDay).describe('Days with calls, newest first.'),
    by_prompt: z.array(AiUsagePrompt).describe('Most expensive first.'),
    by_person: z.array(AiUsagePerson).describe('The 200 most expensive, most expensive first.'),
  })
  .meta({ id: 'AIUsage' })
export type AiUsage = z.infer<typeof AiUsage>
