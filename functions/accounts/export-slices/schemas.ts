import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

/** The body of a queue message. */
export const ExportJob = z.object({ export_id: Uuid, attempt: z.int().min(1) })
