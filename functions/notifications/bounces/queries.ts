import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { writeStatement } from '#db/statement.ts'
import type { MailProblem } from '#vendors/mail/mail.ts'

/**
 * Record that an address gets no more e-mails. `is_recorded` is false for an event that is repeated or older
 * than what is known.
 */
export const recordProblem = writeStatement(
  z.object({ is_recorded: z.boolean() }),
  (address: string, kind: MailProblem, at: string) =>
    sql`select ${callFunction('app.record_mail_problem', { p_address: address, p_kind: kind, p_at: at })} as is_recorded`,
)
