import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

export const DeliverWebhookJob = z.strictObject({
  delivery_id: Uuid,
  attempt: z.int().min(1),
})
export type DeliverWebhookJob = z.infer<typeof DeliverWebhookJob>
