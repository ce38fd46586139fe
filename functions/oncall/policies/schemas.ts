import * as z from 'zod'
import { ExpectedVersion, exampleIds, Id, idParams, Name, Time, Version } from '#http/fields.ts'
import { EscalationStep } from '#rules/oncall/escalation-step.ts'

export const PolicyId = idParams('policy_id', 'escalation policy')

const fields = {
  name: Name.describe('Name of the policy.'),
  team_id: Id.nullable().describe('The team it belongs to; null for the whole account.'),
  is_default: z
    .boolean()
    .describe(
      'Whether it applies to the escalations of its team. That of the account applies to teams without a default policy.',
    ),
  rounds: z.int().min(1).max(5).describe('How often the steps are taken.'),
  steps: z.array(EscalationStep).min(1).max(10).describe('The steps of a round, in order.'),
}
const example = {
  name: 'Network escalations',
  team_id: exampleIds.team,
  is_default: true,
  rounds: 2,
  steps: [
    {
      delay_minutes: 10,
      targets: [{ type: 'schedule' as const, id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c3a10' }],
    },
    { delay_minutes: 15, targets: [{ type: 'user' as const, id: exampleIds.user }] },
  ],
}

export const EscalationPolicy = z
  .strictObject({
    id: Id,
    ...fields,
    name: z.string().describe('Name of the policy.'),
    version: Version,
    created_by: Id.describe('The user who created it.'),
    created_at: Time,
    updated_at: Time.describe('When it was last saved.'),
  })
  .meta({
    id: 'EscalationPolicyResponse',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c3a20',
        ...example,
        version: 1,
        created_by: exampleIds.user,
        created_at: '2026-11-01T08:12:00.000Z',
        updated_at: '2026-11-01T08:12:00.000Z',
      },
    ],
  })
export type EscalationPolicy = z.infer<typeof EscalationPolicy>

export const PolicyCreate = z
  .strictObject({
    ...fields,
    team_id: fields.team_id.default(null),
    is_default: fields.is_default.default(false),
    rounds: fields.rounds.default(1),
  })
  .meta({ id: 'EscalationPolicyCreate', examples: [example] })
export type PolicyCreate = z.infer<typeof PolicyCreate>

export const PolicyUpdate = z
  .strictObject({ ...fields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'EscalationPolicyUpdate', examples: [{ rounds: 3, expected_version: 1 }] })
export type PolicyUpdate = z.infer<typeof PolicyUpdate>
