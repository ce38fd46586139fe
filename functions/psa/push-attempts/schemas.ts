import * as z from 'zod'

export const PushJob = z.strictObject({
  push_id: z.uuid(),
  attempt: z.int().min(1),
})
