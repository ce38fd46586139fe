import * as z from 'zod'

export const Receipt = z
  .strictObject({
    recorded: z
      .int()
      .describe(
        'Number of addresses that get no more e-mails since this event; 0 for an event of another kind, and for a repeated one.',
      ),
  })
  .meta({ id: 'MailEventReceipt' })
