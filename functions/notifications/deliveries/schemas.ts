import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

export const DeliverJob = z.strictObject({
  delivery_id: Uuid,
  attempt: z.int().min(1),
})
export type DeliverJob = z.infer<typeof DeliverJob>
