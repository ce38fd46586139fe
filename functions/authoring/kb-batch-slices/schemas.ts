import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

/** The body of a queue message. */
export const KbBatchJob = z.object({ batch_id: Uuid, attempt: z.int().min(1) })
