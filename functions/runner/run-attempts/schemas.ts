import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

export const RunnerRunJob = z.strictObject({ run_id: Uuid, attempt: z.int().min(1) })
