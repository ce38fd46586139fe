import * as z from 'zod'
import { ExpectedVersion, Id, idParams, Name, Time, Version } from '#http/fields.ts'
import { EscalationStep } from '#rules/oncall/escalation-step.ts'

export const PolicyId = idParams('policy_id', 'escalation policy')

const fields = {
  name: Name.describe('Name of the policy.').meta({ example: 'Network escalations' }),
  team_id: Id.nullable().describe('The team it belongs to; null for the whole account.'),
  is_default: z
    .boolean()
    .describe(
      'Whether it applies to the escalations of its team. That of the account applies to teams without a default policy.',
    ),
  rounds: z.int().min(1).max(5).describe('How often the steps are taken.').meta({ example: 2 }),
  steps: z.array(EscalationStep).min(1).max(10).describe('The steps of a round, in order.'),
}

export const EscalationPolicy = z
  .strictObject({
    id: Id,
    ...fields,
    name: z.string().describe('Name of the policy.').meta({ example: 'Network escalations' }),
    version: Version,
    created_by: Id.describe('The user who created it.'),
    created_at: Time,
    updated_at: Time.describe('When it was last saved.'),
  })
  .meta({ id: 'EscalationPolicyResponse' })
export type EscalationPolicy = z.infer<typeof EscalationPolicy>

export const PolicyCreate = z
  .strictObject({
    ...fields,
    team_id: fields.team_id.default(null),
    is_default: fields.is_default.default(false),
    rounds: fields.rounds.default(1).meta({ example: 2 }),
  })
  .meta({ id: 'EscalationPolicyCreate' })
export type PolicyCreate = z.infer<typeof PolicyCreate>

export const PolicyUpdate = z
  .strictObject({ ...fields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'EscalationPolicyUpdate' })
export type PolicyUpdate = z.infer<typeof PolicyUpdate>
