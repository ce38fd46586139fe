import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

export const AssessJob = z.strictObject({
  handoff_id: Uuid,
  attempt: z.int().min(1),
})
