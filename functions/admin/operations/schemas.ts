import * as z from 'zod'
import { ReplayedOutbox } from '#functions/staff/status.ts'

export const OutboxReplay = z.strictObject({ outbox: ReplayedOutbox }).meta({ id: 'OutboxReplay' })
export type OutboxReplay = z.infer<typeof OutboxReplay>

export const OutboxReplayResult = z
  .strictObject({
    rows: z
      .int()
      .describe('Rows that wait for an attempt and are due now, at most 10,000.')
      .meta({ example: 12 }),
  })
  .meta({ id: 'OutboxReplayResult' })
export type OutboxReplayResult = z.infer<typeof OutboxReplayResult>
