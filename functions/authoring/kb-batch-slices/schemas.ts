import * as z from 'zod'

/** The body of a queue message. */
export const KbBatchJob = z.object({ batch_id: z.uuid(), attempt: z.int().min(1) })
