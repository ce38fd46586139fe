import * as z from 'zod'
import { mailProblems } from '#vendors/mail/mail.ts'
import { Time } from './fields.ts'

/** Why an address gets no e-mails. */
export const EmailProblem = z
  .strictObject({
    kind: z
      .enum(mailProblems)
      .meta({ id: 'EmailProblemKind' })
      .describe(
        '`bounced`: the address does not exist; `complained`: its owner called an e-mail spam; `suppressed`: it is on a list of the mail provider.',
      ),
    occurred_at: Time.describe('When the mail provider said so.'),
  })
  .meta({ id: 'EmailProblem' })
