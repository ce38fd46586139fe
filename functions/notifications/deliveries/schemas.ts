import * as z from 'zod'

export const DeliverJob = z.strictObject({
  delivery_id: z.uuid(),
  attempt: z.int().min(1),
})
export type DeliverJob = z.infer<typeof DeliverJob>
