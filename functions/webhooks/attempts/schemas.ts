import * as z from 'zod'

export const DeliverWebhookJob = z.strictObject({
  delivery_id: z.uuid(),
  attempt: z.int().min(1),
})
export type DeliverWebhookJob = z.infer<typeof DeliverWebhookJob>
