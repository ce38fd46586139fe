import * as z from 'zod'
import { JsonValue } from '#rules/json-value.ts'

const Step = z.int().min(1).max(6)
const stepNames = '1 profile, 2 shop, 3 psa, 4 invites, 5 first flow, 6 done'
const maxBytes = 16 * 1024

export const OnboardingStatus = z
  .strictObject({
    current_step: z
      .int()
      .min(0)
      .max(6)
      .describe(`The highest step sent so far; 0 before the first. ${stepNames}.`)
      .meta({ example: 3 }),
    completed_steps: z
      .array(Step)
      .describe('Completed steps, in the order of completion.')
      .meta({ example: [1, 2] }),
    skipped_steps: z
      .array(Step)
      .describe('Steps that were skipped and not completed since, in the order of skipping.')
      .meta({ example: [3] }),
    dismissed: z.boolean().describe('Whether the remaining steps were dismissed.'),
    email_verified: z.boolean().describe('Whether my e-mail address is verified.'),
    shop_setup_done: z.boolean().describe('Whether step 2 was completed.'),
    tried_ai_assistant: z.boolean().describe('Whether I have started an AI session. For older clients.'),
    psa_connected: z.boolean().describe('Whether my account is connected to a ticketing system.'),
    team_invited: z.boolean().describe('Whether my account has ever sent an invite.'),
    first_flow_created: z.boolean().describe('Whether my account has a flow of its own.'),
  })
  .meta({ id: 'OnboardingStatusResponse' })
export type OnboardingStatus = z.infer<typeof OnboardingStatus>

const isObject = (data: unknown): data is Record<string, unknown> =>
  typeof data === 'object' && data !== null && !Array.isArray(data)
const isWithinSizeLimit = (data: object) =>
  new TextEncoder().encode(JSON.stringify(data)).byteLength <= maxBytes

export const OnboardingStep = z
  .strictObject({
    step: Step.describe(`${stepNames}.`).meta({ example: 2 }),
    action: z
      .enum(['complete', 'skip'])
      .meta({ id: 'OnboardingStepAction' })
      .describe('`skip` ignores the data.'),
    data: JsonValue.optional()
      .describe(
        'The input of this step: an object with any keys, at most 16 KB. Ignored when the step is skipped.',
      )
      .meta({ example: { shop_name: 'Northwind IT', technicians: 4 } }),
  })
  .superRefine(({ action, data }, ctx) => {
    if (action === 'skip' || data === undefined) return
    if (!isObject(data))
      ctx.addIssue({ code: 'invalid_type', expected: 'record', input: data, path: ['data'] })
    else if (!isWithinSizeLimit(data))
      ctx.addIssue({ code: 'custom', message: 'must be at most 16 KB', input: data, path: ['data'] })
  })
  .meta({ id: 'OnboardingStepUpdate' })
export type OnboardingStep = z.infer<typeof OnboardingStep>
