import * as z from 'zod'

export const ReadTicketJob = z.strictObject({
  change_id: z.uuid(),
  attempt: z.int().min(1),
})
