import * as z from 'zod'
import { ReplayedOutbox } from '#functions/staff/status.ts'

export const OutboxReplay = z
  .strictObject({ outbox: ReplayedOutbox })
  .meta({ id: 'OutboxReplay', examples: [{ outbox: 'deliveries' }] })
export type OutboxReplay = z.infer<typeof OutboxReplay>

export const OutboxReplayResult = z
  .strictObject({ rows: z.int().describe('Rows that wait for an attempt and are due now, at most 10,000.') })
  .meta({ id: 'OutboxReplayResult', examples: [{ rows: 12 }] })
export type OutboxReplayResult = z.infer<typeof OutboxReplayResult>
