import * as z from 'zod'
import { AuditEntry, SubscriptionStatus } from '#functions/accounts/accounts/schemas.ts'
import { userFields } from '#functions/identity/auth/schemas.ts'
import { Id, InputTime, idParams, Time, Timezone } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const UserId = idParams('user_id', 'user')

const Search = z.string().max(200).optional()
export const PlanKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/)
  .describe('The key of the plan.')

export const UserQuery = z.strictObject({
  q: Search.describe('Part of the e-mail address or the name.'),
  account_id: Uuid.optional().describe('Only this account.'),
})
export type UserQuery = z.infer<typeof UserQuery>

export const AccountQuery = z.strictObject({ q: Search.describe('Part of the name.') })
export type AccountQuery = z.infer<typeof AccountQuery>

export const AuditQuery = z.strictObject({
  account_id: Uuid.optional().describe('Only this account.'),
  actor_id: Uuid.optional().describe('Only actions of this user.'),
  action: z.string().max(100).optional().describe('Only this action, such as `member.updated`.'),
  created_after: InputTime.optional().describe('Only entries at or after this time.'),
  created_before: InputTime.optional().describe('Only entries before this time.'),
})
export type AuditQuery = z.infer<typeof AuditQuery>

export const AdminUser = z
  .strictObject({
    ...userFields,
    is_active: z.boolean().describe('Whether this user may sign in.'),
  })
  .meta({ id: 'AdminUserResponse' })
export type AdminUser = z.infer<typeof AdminUser>

export const seatFields = {
  max_users: z.int().nullable().describe('Seats; null for no limit.'),
  max_kb_imports: z.int().nullable().describe('Knowledge imports in total; null for no limit.'),
  max_ai_builds_per_month: z.int().nullable().describe('AI builds per month; null for no limit.'),
}
export const Subscription = z
  .strictObject({
    account_id: Id.describe('The account of the subscription.'),
    plan: z.string().describe('The current plan; `free` after a trial has expired.'),
    status: SubscriptionStatus.describe('The current state of the subscription.'),
    trial_ends_at: Time.nullable().describe('When the trial ends or ended.'),
    past_due_since: Time.nullable().describe('Since when a payment is overdue.'),
    limits: z.strictObject(seatFields).describe('Limits of the plan.'),
  })
  .meta({ id: 'AdminSubscription' })
export type Subscription = z.infer<typeof Subscription>

const accountFields = {
  id: Id,
  name: z.string().describe('The name that members see.').meta({ example: 'Northwind IT' }),
  timezone: Timezone,
  user_count: z.int().describe('Active members.').meta({ example: 4 }),
  created_at: Time,
}

export const AdminAccount = z
  .strictObject({
    ...accountFields,
    plan: Subscription.shape.plan,
    subscription_status: Subscription.shape.status,
    trial_ends_at: Subscription.shape.trial_ends_at,
  })
  .meta({ id: 'AdminAccountResponse' })
export type AdminAccount = z.infer<typeof AdminAccount>

export const AdminSignIn = z
  .strictObject({
    id: Id,
    user_agent: z.string().describe('The User-Agent header of the device.'),
    ip: z.string().describe('The IP address of the sign-in.'),
    created_at: Time.describe('Time of the sign-in.'),
    last_used_at: Time.describe('When the tokens of the sign-in were last refreshed.'),
    expires_at: Time.describe('Until when the tokens of the sign-in can be refreshed.'),
    ended_at: Time.nullable().describe('When the sign-in was revoked.'),
  })
  .meta({ id: 'AdminDevice' })
export type AdminSignIn = z.infer<typeof AdminSignIn>

export const AdminUserDetail = z
  .strictObject({
    user: AdminUser.describe('The user.'),
    account: z.strictObject(accountFields).describe('The account of the user.'),
    subscription: Subscription.describe('The subscription of that account.'),
    sessions: z.array(AdminSignIn).describe('The last 50 sign-ins, revoked ones too.'),
    audit_logs: z.array(AuditEntry).describe('The last 50 entries of the account by or about this user.'),
  })
  .meta({ id: 'AdminUserDetailResponse' })

export const SuperAdminUpdate = z
  .strictObject({ is_super_admin: z.boolean().describe('Whether this user is staff of the platform.') })
  .partial()
  .meta({ id: 'SuperAdminUpdate' })
export type SuperAdminUpdate = z.infer<typeof SuperAdminUpdate>

export const PlanChange = z.strictObject({ plan: PlanKey }).partial().meta({ id: 'AdminPlanChange' })
export type PlanChange = z.infer<typeof PlanChange>

export const TrialExtension = z
  .strictObject({
    days: z
      .int()
      .min(1)
      .max(365)
      .describe('By how many days to extend the trial, from now if it has ended.')
      .meta({ example: 14 }),
  })
  .meta({ id: 'TrialExtension' })
