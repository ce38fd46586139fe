import { z } from 'zod'

export const DeliverJob = z.strictObject({
  delivery_id: z.uuid(),
  attempt: z.int().min(1),
})
export type DeliverJob = z.infer<typeof DeliverJob>

export const PushJob = z.strictObject({
  push_id: z.uuid(),
  attempt: z.int().min(1),
})

export const AssessJob = z.strictObject({
  handoff_id: z.uuid(),
  attempt: z.int().min(1),
})

/** A reminder says nothing but that it is time. */
export const Reminder = z.unknown()
