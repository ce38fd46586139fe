import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { readStatement } from '#db/statement.ts'

const StuckWork = z.object({
  /** Jobs in PostgreSQL that nobody runs and the library has not released. */
  stuck_jobs: z.int(),
  /**
   * E-mails of this day (UTC) that were not sent, because their account has reached its daily limit or their
   * sender has no verified address.
   */
  mails_left_out: z.int(),
})
export type StuckWork = z.output<typeof StuckWork>

/** Select what no attempt will end, of all accounts. */
export const selectStuckWork = readStatement(
  StuckWork,
  () => sql`
    select ${callFunction('app.count_stuck_jobs', {})} as stuck_jobs,
           (select coalesce(sum(refused), 0)::integer from mail_counts where day = date_trunc('day', app.now(), 'UTC')) as mails_left_out`,
)
