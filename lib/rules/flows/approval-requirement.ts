import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'

// Who must approve a step before its answer counts.

export const approverRoles = ['engineer', 'team_admin', 'account_admin'] as const
export type ApproverRole = (typeof approverRoles)[number]

/**
 * How long a request waits, and how long an approval is valid, if the step does not set
 * `expires_after_minutes`.
 */
export const defaultExpiryMinutes = 60

export const ApprovalRequirement = z
  .strictObject({
    roles: z
      .array(z.enum(approverRoles).meta({ id: 'ApproverRole' }))
      .max(3)
      .nullish()
      .describe(
        '`engineer`: any engineer or admin. `team_admin`: an admin of the session’s team. `account_admin`: an admin of the account.',
      ),
    user_ids: z.array(Uuid).max(20).nullish().describe('Ids of further users who may approve.'),
    expires_after_minutes: z
      .int()
      .min(1)
      .max(10_080)
      .nullish()
      .describe(
        `How long a request waits, and how long an approval is valid. The default is ${defaultExpiryMinutes}.`,
      ),
  })
  .describe('Who must approve the step before its answer counts. Never the user who runs the session.')
  .meta({ id: 'ApprovalRequirement', examples: [{ roles: ['account_admin'], expires_after_minutes: 30 }] })
export type ApprovalRequirement = z.infer<typeof ApprovalRequirement>

/** Return the approval in normal form, or nothing if there is none. */
export function normaliseApproval(approval: ApprovalRequirement | null | undefined): {
  approval?: ApprovalRequirement
} {
  if (!approval) return {}
  const { roles, user_ids, expires_after_minutes } = approval
  return {
    approval: {
      ...(roles?.length ? { roles: approverRoles.filter((role) => roles.includes(role)) } : {}),
      ...(user_ids?.length ? { user_ids: [...new Set(user_ids)] } : {}),
      ...(typeof expires_after_minutes === 'number' ? { expires_after_minutes } : {}),
    },
  }
}
