import { z } from 'zod'
import { exampleIds, Id, idParams, Role, TeamRole, Time, Timezone } from '../../../lib/http/fields.ts'
import { AuditEntry } from '../../accounts/accounts/schemas.ts'

export const UserId = idParams('user_id', 'user')

const moment = '2026-11-21T09:30:00.000Z'
const Search = z.string().max(200).optional()
export const PlanKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/)
  .describe('The key of the plan.')

export const UserQuery = z.strictObject({
  q: Search.describe('Part of the address or the name.'),
  account_id: z.uuid().optional().describe('Of one account only.'),
})
export type UserQuery = z.infer<typeof UserQuery>

export const AccountQuery = z.strictObject({ q: Search.describe('Part of the name.') })
export type AccountQuery = z.infer<typeof AccountQuery>

export const AuditQuery = z.strictObject({
  account_id: z.uuid().optional().describe('Of one account only.'),
  actor_id: z.uuid().optional().describe('By one person only.'),
  action: z.string().max(100).optional().describe('`thing.done`, exactly.'),
  created_after: z.iso.datetime({ offset: true }).optional().describe('From this moment on.'),
  created_before: z.iso.datetime({ offset: true }).optional().describe('Before this moment.'),
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
  created_at: moment,
  last_login_at: moment,
}

export const AdminUser = z
  .strictObject({
    id: Id,
    email: z.string().describe('The address this person signs in with.'),
    full_name: z.string().describe('As colleagues see it.'),
    account_id: Id.describe('The one account this person belongs to.'),
    account_name: z.string().describe('The name of that account.'),
    role: Role,
    team_id: Id.nullable().describe('The team, if any.'),
    team_role: TeamRole.nullable().describe('What this person is in the team.'),
    is_super_admin: z.boolean().describe("Whether this is the platform's own staff."),
    is_active: z.boolean().describe('Whether this person may sign in.'),
    email_verified: z.boolean().describe('Whether the address was confirmed.'),
    must_change_password: z.boolean().describe('Whether nothing else works until the password is changed.'),
    timezone: z.string().describe('IANA time zone.'),
    created_at: Time,
    last_login_at: Time.nullable().describe('The last sign-in.'),
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

export const Subscription = z
  .strictObject({
    account_id: Id.describe('The account it is of.'),
    plan: z.string().describe('The plan that holds now; `free` after a trial that ran out.'),
    status: z.enum(['trialing', 'free', 'active', 'past_due', 'unpaid', 'canceled']).describe('How it stands now.'),
    trial_ends_at: Time.nullable().describe('When the trial ends or ended.'),
    past_due_since: Time.nullable().describe('Since when a payment is owed.'),
    limits: z
      .strictObject({
        max_users: z.int().nullable().describe('Seats; null without a limit.'),
        max_kb_imports: z.int().nullable().describe('Knowledge imports in all; null without a limit.'),
        max_ai_builds_per_month: z.int().nullable().describe('AI builds a month; null without a limit.'),
      })
      .describe('What the plan allows.'),
  })
  .meta({ id: 'AdminSubscription', examples: [exampleSubscription] })
export type Subscription = z.infer<typeof Subscription>

const exampleAccount = { id: exampleIds.account, name: 'Northwind IT', timezone: 'Europe/Berlin', user_count: 4, created_at: moment }
const accountFields = {
  id: Id,
  name: z.string().describe('As members see it.'),
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
    examples: [{ ...exampleAccount, plan: 'pro', subscription_status: 'trialing', trial_ends_at: '2026-12-05T09:30:00.000Z' }],
  })
export type AdminAccount = z.infer<typeof AdminAccount>

const AdminDevice = z
  .strictObject({
    id: Id,
    user_agent: z.string().describe('What the device said it is.'),
    ip: z.string().describe('Where it signed in from.'),
    created_at: Time.describe('When it signed in.'),
    last_used_at: Time.describe('When it last renewed its token.'),
    expires_at: Time.describe('Until when it may renew it.'),
    ended_at: Time.nullable().describe('When it was signed out.'),
  })
  .meta({ id: 'AdminDevice' })
export type AdminDevice = z.infer<typeof AdminDevice>

export const AdminUserDetail = z
  .strictObject({
    user: AdminUser.describe('The person.'),
    account: z.strictObject(accountFields).describe('The account this person belongs to.'),
    subscription: Subscription.describe('What that account pays for.'),
    sessions: z.array(AdminDevice).describe('The last 50 devices that signed in, signed-out ones too.'),
    audit_logs: z.array(AuditEntry).describe('The last 50 entries of the account by or about this person.'),
  })
  .meta({
    id: 'AdminUserDetailResponse',
    examples: [{ user: exampleUser, account: exampleAccount, subscription: exampleSubscription, sessions: [], audit_logs: [] }],
  })

export const SuperAdminUpdate = z
  .strictObject({ is_super_admin: z.boolean().describe("Whether this is the platform's own staff.") })
  .partial()
  .meta({ id: 'SuperAdminUpdate', examples: [{ is_super_admin: true }] })
export type SuperAdminUpdate = z.infer<typeof SuperAdminUpdate>

export const PlanChange = z
  .strictObject({ plan: PlanKey })
  .partial()
  .meta({ id: 'AdminPlanChange', examples: [{ plan: 'team' }] })
export type PlanChange = z.infer<typeof PlanChange>

export const TrialExtension = z
  .strictObject({ days: z.int().min(1).max(365).describe('How many days later the trial ends, from now if it has ended.') })
  .meta({ id: 'TrialExtension', examples: [{ days: 14 }] })
