import * as z from 'zod'

export const AssessJob = z.strictObject({
  handoff_id: z.uuid(),
  attempt: z.int().min(1),
})
