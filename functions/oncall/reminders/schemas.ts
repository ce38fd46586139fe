import * as z from 'zod'

export const RemindJob = z.strictObject({
  reminder_id: z.uuid(),
  attempt: z.int().min(1),
})
