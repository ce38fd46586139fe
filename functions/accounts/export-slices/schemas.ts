import * as z from 'zod'

/** The body of a queue message. */
export const ExportJob = z.object({ export_id: z.uuid(), attempt: z.int().min(1) })
