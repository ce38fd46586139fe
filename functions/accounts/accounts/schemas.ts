import * as z from 'zod'
import { waitingKinds, workOutcomes } from '#db/waiting-work.ts'
import { Colour } from '#functions/accounts/teams/schemas.ts'
import { ExportFormat } from '#functions/sessions/exports/schemas.ts'
import { EmailProblem } from '#http/email-problem.ts'
import { Id, idParams, Name, Role, TeamRole, Time, Timezone } from '#http/fields.ts'
import { JsonValue } from '#rules/json-value.ts'
import { Uuid } from '#rules/uuid.ts'

export const SubscriptionStatus = z
  .enum(['trialing', 'free', 'active', 'past_due', 'unpaid', 'canceled'])
  .meta({ id: 'SubscriptionStatus' })

export const MemberId = idParams('user_id', 'member')

/** An object with any keys and any JSON values. */
const OpenObject = z.record(z.string(), JsonValue)

const Retention = z
  .strictObject({
    audit_log_days: z
      .int()
      .min(365)
      .max(3650)
      .describe('Days for which entries of the audit log stay. Default 730.')
      .meta({ example: 730 }),
    notification_days: z
      .int()
      .min(30)
      .max(730)
      .describe('Days for which notifications and their deliveries stay. Default 180.')
      .meta({ example: 180 }),
    ai_message_days: z
      .int()
      .min(30)
      .max(3650)
      .describe(
        'Days for which the messages of an AI session stay after its last activity, once it has ended. Default 730.',
      )
      .meta({ example: 730 }),
    session_days: z
      .int()
      .min(90)
      .max(3650)
      .nullable()
      .describe('Days for which completed and abandoned sessions stay; null, the default, keeps them.'),
  })
  .meta({ id: 'Retention' })

export const Account = z
  .strictObject({
    id: Id,
    name: z.string().describe('The name that members see.').meta({ example: 'Northwind IT' }),
    timezone: Timezone,
    settings: OpenObject.describe('Settings that the frontend stores for the account.'),
    require_mfa: z.boolean().describe('Whether every member must have a second factor.'),
    brand_colour: z
      .string()
      .nullable()
      .describe('The colour of the e-mails, as `#rrggbb`; null for the default.')
      .meta({ example: '#0f766e' }),
    flow_review_months: z
      .int()
      .nullable()
      .describe('After how many months a published flow is due for a review; null for none.')
      .meta({ example: 6 }),
    retention: Retention.describe('How long old rows stay before they are deleted.'),
    plan: z.string().describe('The current plan; `free` after a trial has expired.'),
    subscription_status: SubscriptionStatus.describe('The current state of the subscription.'),
    trial_ends_at: Time.nullable().describe('When the trial ends or ended.'),
    deletes_at: Time.nullable().describe(
      'When the account will be erased; null unless an admin has asked for it.',
    ),
    limits: z
      .strictObject({ max_users: z.int().nullable().describe('Seats; null for no limit.') })
      .describe('Limits of the plan.'),
    usage: z
      .strictObject({
        users: z.int().describe('Active members.').meta({ example: 4 }),
        open_invites: z.int().describe('Open invites. Each takes a seat.'),
      })
      .describe('Current usage of the limits.'),
    created_at: Time,
  })
  .meta({ id: 'AccountResponse' })
export type Account = z.infer<typeof Account>

export const AccountDeletion = z
  .strictObject({
    name: z
      .string()
      .describe('The name of the account, as a confirmation.')
      .meta({ example: 'Northwind IT' }),
  })
  .meta({ id: 'AccountDeletion' })

export const AccountUpdate = z
  .strictObject({
    name: Name.describe('The name that members see.').meta({ example: 'Northwind IT' }),
    timezone: Timezone,
    settings: OpenObject.describe('Replaces all settings. At most 64 keys and 16 KB.'),
    require_mfa: z
      .boolean()
      .describe('Whether every member must have a second factor. Members without one can only set it up.'),
    brand_colour: Colour.nullable().describe(
      'The colour of the e-mails. Where it could not be read, it is darkened, or lightened in dark mode.',
    ),
    flow_review_months: z
      .int()
      .min(1)
      .max(60)
      .nullable()
      .describe(
        'After how many months a published flow is due for a review, unless it has an interval of its own; null for none.',
      )
      .meta({ example: 6 }),
    retention: Retention.partial()
      .meta({ id: 'RetentionUpdate' })
      .describe('How long old rows stay. Rows that are older are deleted within minutes, for good.'),
  })
  .partial()
  .meta({ id: 'AccountUpdate' })
export type AccountUpdate = z.infer<typeof AccountUpdate>

const Quota = z
  .strictObject({
    used: z.int().describe('What is used.').meta({ example: 4 }),
    limit: z.int().nullable().describe('The limit; null for none.').meta({ example: 2000 }),
  })
  .meta({ id: 'Quota' })

export const Usage = z
  .strictObject({
    flows: Quota.describe('Flows that are not deleted.'),
    open_ai_sessions: Quota.describe('AI sessions that are not resolved, abandoned or archived.'),
    schedules: Quota.describe('Maintenance schedules.'),
    notification_configs: Quota.describe('Notification configs.'),
    webhooks: Quota.describe('Webhooks.'),
    stored_bytes: Quota.describe(
      'Content of uploads, diagrams and all flow versions, those of deleted flows too.',
    ),
    mails_per_day: Quota.describe('E-mails since midnight UTC. In a trial at most 50.'),
    ai_cost_micros: Quota.describe(
      'Cost of the model in this month, in millionths of a dollar. In a trial at most 5,000,000.',
    ),
  })
  .meta({ id: 'AccountUsage' })
export type Usage = z.infer<typeof Usage>

export const Preferences = OpenObject.meta({
  id: 'AccountPreferences',
  examples: [{ templatize_prompt_enabled: true, theme: 'dark' }],
}).describe('The preferences of the account.')

export const PreferencesUpdate = z
  .object({
    templatize_prompt_enabled: z
      .boolean()
      .nullable()
      .describe('Whether to offer a template after a script is used.'),
    default_export_format: ExportFormat.nullable().describe('The default format of exports.'),
    mask_exports: z
      .boolean()
      .nullable()
      .describe(
        'Whether everything that leaves the account is masked: messages, webhooks, notes on tickets, drafts, and exports by default. Changed by admins.',
      )
      .meta({ example: true }),
    push_details: z
      .boolean()
      .nullable()
      .describe(
        'Whether notifications of browsers show the texts of a message, instead of its kind alone. Changed by admins.',
      )
      .meta({ example: true }),
    theme: z.string().max(100).nullable().describe('The theme of the frontend.'),
  })
  .partial()
  .catchall(JsonValue)
  .describe(
    'Keys to set. A null value removes its key; keys that are absent stay. At most 64 keys and 16 KB in all.',
  )
  .meta({ id: 'AccountPreferencesUpdate' })

export const Member = z
  .strictObject({
    id: Id,
    email: z.string().describe('The e-mail address that this member signs in with.'),
    full_name: z.string().describe('The name that colleagues see.'),
    role: Role,
    team_id: Id.nullable().describe('The team, if any.'),
    team_role: TeamRole.nullable()
      .describe('The role in the team; null without a team.')
      .meta({ example: 'member' }),
    is_active: z.boolean().describe('Whether this member may sign in.'),
    email_verified: z.boolean().describe('Whether the e-mail address is verified.'),
    last_seen_at: Time.nullable().describe('The last sign-in or token refresh.'),
    email_problem: EmailProblem.nullable().describe(
      'Why the address gets no e-mails but those about its own sign-in; null for most. It ends when its owner opens a link of such an e-mail or changes the address, or an admin ends it.',
    ),
    created_at: Time,
  })
  .meta({ id: 'MemberResponse' })
export type Member = z.infer<typeof Member>

export const WaitingWork = z
  .strictObject({
    kind: z
      .enum(waitingKinds)
      .meta({ id: 'WaitingWorkKind' })
      .describe('What waits for the member. An `approval` names them as an approver.'),
    count: z.int().describe('How many.').meta({ example: 2 }),
    outcome: z
      .enum(workOutcomes)
      .meta({ id: 'WaitingWorkOutcome' })
      .describe(
        'What becomes of it when they can no longer work. `freed`: colleagues can take it at once. `inherited`: admins of the account or of the team see it and go on. `taken_over`: it fails until an admin changes it. `ended`: it ends.',
      ),
  })
  .meta({ id: 'WaitingWorkResponse' })
export type WaitingWork = z.infer<typeof WaitingWork>

const OnCallPerson = z
  .strictObject({ id: Id, name: z.string().describe('Full name.').meta({ example: 'Dana Reyes' }) })
  .nullable()

const OnCallChange = z
  .strictObject({
    schedule_id: Id.describe('Id of the on-call schedule.'),
    schedule_name: z.string().describe('Its name.').meta({ example: 'Network, nights and weekends' }),
    on_call_before: OnCallPerson.describe('Who was on call before the change.'),
    on_call_after: OnCallPerson.describe('Who is on call now and was told; null for nobody.'),
  })
  .meta({ id: 'MemberOnCallChange' })
export type OnCallChange = z.infer<typeof OnCallChange>

export const UpdatedMember = Member.extend({
  waiting_work: z
    .array(WaitingWork)
    .describe('What waited for the member, if the change means that they can no longer work; else empty.'),
  on_call: z
    .array(OnCallChange)
    .describe('The schedules by which somebody else is on call now because of the change.'),
}).meta({ id: 'UpdatedMemberResponse' })

export const MemberUpdate = z
  .strictObject({
    role: Role,
    team_id: Uuid.nullable().describe('A team of the account; null removes the member from the team.'),
    team_role: TeamRole.meta({ example: 'admin' }),
    is_active: z.boolean().describe('False deactivates the member and revokes all sign-ins of the member.'),
  })
  .partial()
  .meta({ id: 'MemberUpdate' })
export type MemberUpdate = z.infer<typeof MemberUpdate>

const Sequence = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)
export const AuditLogQuery = z.strictObject({
  from_sequence: Sequence.optional().describe('Only entries with this number or a later one.'),
  to_sequence: Sequence.optional().describe('Only entries with this number or an earlier one.'),
})
export type AuditLogQuery = z.infer<typeof AuditLogQuery>

export const AuditEntry = z
  .strictObject({
    sequence: z
      .int()
      .describe(
        'Its number in the audit log of the account. A number that is missing was deleted, as `audit_log_days` says.',
      )
      .meta({ example: 4096 }),
    id: Id,
    account_id: Id,
    actor_id: Id.nullable().describe(
      'The user who acted; null for the service itself, and for the provider that provisions members.',
    ),
    actor_name: z.string().nullable().describe('The current name of that user.'),
    action: z
      .string()
      .describe('The resource type and what was done, such as `member.updated`.')
      .meta({ example: 'member.updated' }),
    resource_type: z.string().describe('The type of the changed resource.').meta({ example: 'member' }),
    resource_id: Id.nullable()
      .describe('The id of the changed resource.')
      .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d14' }),
    changes: z
      .record(z.string(), JsonValue)
      .describe('The old and the new value of each changed field; `[redacted]` for a secret.')
      .meta({ example: { role: { from: 'viewer', to: 'engineer' } } }),
    ip: z.string().nullable().describe("The client's IP address."),
    created_at: Time,
  })
  .meta({ id: 'AuditLogEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>
