import * as z from 'zod'

/** The body of a queue message. */
export const ImportJob = z.object({ import_id: z.uuid(), attempt: z.int().min(1) })
