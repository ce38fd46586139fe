import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'

export const AlertParams = z.object({
  token: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .describe('The secret of the address.'),
})

export const Receipt = z
  .strictObject({
    firing: z.int().describe('Number of alerts that fire.'),
    resolved: z.int().describe('Number of alerts that are over.'),
    refused: z
      .int()
      .describe('Number of alerts that were not read: without a title, or more than a call may have.'),
  })
  .meta({ id: 'AlertReceipt' })
export type Receipt = z.infer<typeof Receipt>

const Verdict = z
  .enum(['waiting', 'opened', 'ignored', 'limited', 'refused', 'failed'])
  .meta({ id: 'AlertVerdict' })
const AlertStatus = z.enum(['firing', 'resolved']).meta({ id: 'AlertStatus' })

export const AlertQuery = z.strictObject({
  source_id: Id.optional().describe('Only alerts of this source.'),
  status: AlertStatus.optional().describe('Only alerts that fire, or that are over.'),
})
export type AlertQuery = z.infer<typeof AlertQuery>

export const Alert = z
  .strictObject({
    id: Id,
    source_id: Id.describe('Id of the alert source.'),
    fingerprint: z
      .string()
      .describe('What makes two reports the same alert.')
      .meta({ example: 'b5d2a6f1c0e3' }),
    title: z.string().describe('The title.').meta({ example: 'Disk of SRV-FILE-01 is full' }),
    body: z.string().describe('The text.').meta({ example: '97% of C: are used.' }),
    severity: z.string().nullable().describe('The severity.').meta({ example: 'critical' }),
    client_name: z.string().nullable().describe('The client.'),
    asset_name: z.string().nullable().describe('The machine.'),
    status: AlertStatus.describe('Whether it fires or is over.'),
    fired_count: z
      .int()
      .describe('How often it fired. Each time after the first joined its case.')
      .meta({ example: 2 }),
    verdict: Verdict.describe(
      'What became of it: `opened` a case; `ignored` or `limited` for the reason; `refused` when its case cannot be opened; `failed` after four attempts.',
    ),
    reason: z.string().nullable().describe('Why it opened no case.').meta({ example: null }),
    ai_session_id: Id.nullable().describe('Id of the AI session that it opened.'),
    session_id: Id.nullable().describe('Id of the session that it prepared.'),
    last_seen_at: Time.describe('When it was last reported.'),
    resolved_at: Time.nullable().describe('When it was reported as over.'),
    created_at: Time,
  })
  .meta({ id: 'Alert' })
export type Alert = z.infer<typeof Alert>
