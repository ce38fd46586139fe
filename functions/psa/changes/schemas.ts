import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

export const ReadTicketJob = z.strictObject({
  change_id: Uuid,
  attempt: z.int().min(1),
})
