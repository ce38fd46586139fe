import type { ReadContext } from '#http/operation.ts'
import * as queries from './queries.ts'
import type { AiUsage } from './schemas.ts'

/**
 * Return what the calls to the model cost in the current month. Admins of the account and of a team see every
 * person, others themselves.
 */
export async function get({ db }: ReadContext): Promise<AiUsage> {
  const [[month], [total], by_day, by_prompt, by_person] = await db.batch([
    queries.selectMonth.query(),
    queries.selectTotal.query(),
    queries.selectByDay.query(),
    queries.selectByPrompt.query(),
    queries.selectByPerson.query(),
  ])
  if (!month || !total) throw new Error('The account has no month of AI usage')
  return { month, total, by_day, by_prompt, by_person }
}
