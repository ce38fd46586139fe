import * as z from 'zod'
import { AuditEntry, SubscriptionStatus } from '#functions/accounts/accounts/schemas.ts'
import { userFields } from '#functions/identity/auth/schemas.ts'
import { exampleIds, Id, InputTime, idParams, Time, Timezone } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const UserId = idParams('user_id', 'user')

const exampleTime = '2026-11-21T09:30:00.000Z'
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

const exampleUser = {
  id: exampleIds.user,
  email: 'dana@northwind.example',
  full_name: 'Dana Reyes',
  account_id: exampleIds.account,
  account_name: 'Northwind IT',
  role: 'admin' as const,
  team_id: exampleIds.team,
  team_role: 'admin' as const,
  is_super_admin: false,
  is_active: true,
  email_verified: true,
  must_change_password: false,
  timezone: 'Europe/Berlin',
  created_at: exampleTime,
  last_login_at: exampleTime,
}

export const AdminUser = z
  .strictObject({
    ...userFields,
    is_active: z.boolean().describe('Whether this user may sign in.'),
  })
  .meta({ id: 'AdminUserResponse', examples: [exampleUser] })
export type AdminUser = z.infer<typeof AdminUser>

const exampleSubscription = {
  account_id: exampleIds.account,
  plan: 'pro',
  status: 'trialing' as const,
  trial_ends_at: '2026-12-05T09:30:00.000Z',
  past_due_since: null,
  limits: { max_users: 10, max_kb_imports: null, max_ai_builds_per_month: 50 },
}

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
  .meta({ id: 'AdminSubscription', examples: [exampleSubscription] })
export type Subscription = z.infer<typeof Subscription>

const exampleAccount = {
  id: exampleIds.account,
  name: 'Northwind IT',
  timezone: 'Europe/Berlin',
  user_count: 4,
  created_at: exampleTime,
}
const accountFields = {
  id: Id,
  name: z.string().describe('The name that members see.'),
  timezone: Timezone,
  user_count: z.int().describe('Active members.'),
  created_at: Time,
}

export const AdminAccount = z
  .strictObject({
    ...accountFields,
    plan: Subscription.shape.plan,
    subscription_status: Subscription.shape.status,
    trial_ends_at: Subscription.shape.trial_ends_at,
  })
  .meta({
    id: 'AdminAccountResponse',
    examples: [
      {
        ...exampleAccount,
        plan: 'pro',
        subscription_status: 'trialing',
        trial_ends_at: '2026-12-05T09:30:00.000Z',
      },
    ],
  })
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
  .meta({
    id: 'AdminUserDetailResponse',
    examples: [
      {
        user: exampleUser,
        account: exampleAccount,
        subscription: exampleSubscription,
        sessions: [],
        audit_logs: [],
      },
    ],
  })

export const SuperAdminUpdate = z
  .strictObject({ is_super_admin: z.boolean().describe('Whether this user is staff of the platform.') })
  .partial()
  .meta({ id: 'SuperAdminUpdate', examples: [{ is_super_admin: true }] })
export type SuperAdminUpdate = z.infer<typeof SuperAdminUpdate>

export const PlanChange = z
  .strictObject({ plan: PlanKey })
  .partial()
  .meta({ id: 'AdminPlanChange', examples: [{ plan: 'team' }] })
export type PlanChange = z.infer<typeof PlanChange>

export const TrialExtension = z
  .strictObject({
    days: z.int().min(1).max(365).describe('By how many days to extend the trial, from now if it has ended.'),
  })
  .meta({ id: 'TrialExtension', examples: [{ days: 14 }] })
