import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

export const PushJob = z.strictObject({
  push_id: Uuid,
  attempt: z.int().min(1),
})
