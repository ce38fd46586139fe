import * as z from 'zod'
import { runFields } from '#functions/maintenance/schedules/schemas.ts'
import { ByOutcome, ByState } from '#functions/sessions/batches/schemas.ts'
import { Id } from '#http/fields.ts'

const batchIds = z.array(Id).describe('The batches that the run created, with at most 100 sessions each.')

export const Run = z
  .strictObject({
    ...runFields,
    schedule_id: Id.describe('The schedule that it belongs to.'),
    batch_ids: batchIds,
    by_state: ByState,
    by_outcome: ByOutcome,
  })
  .meta({ id: 'MaintenanceRun' })
export type Run = z.infer<typeof Run>

export const ManualRun = z
  .strictObject({
    run_id: Id.describe('Id of the run.'),
    batch_ids: batchIds,
    session_count: z.int().describe('Number of sessions that the run created.'),
  })
  .meta({ id: 'MaintenanceRunNow' })
export type ManualRun = z.infer<typeof ManualRun>
