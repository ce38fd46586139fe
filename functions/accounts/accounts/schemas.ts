import { z } from 'zod'
import { exampleIds, Id, idParams, Name, Role, TeamRole, Time, Timezone } from '../../../lib/http/fields.ts'

export const MemberId = idParams('user_id', 'member')

/** Open objects: any keys, any JSON. */
const Open = z.record(z.string(), z.json())

export const Account = z
  .strictObject({
    id: Id,
    name: z.string().describe('As members see it.'),
    timezone: Timezone,
    settings: Open.describe('Whatever the frontend keeps for the account.'),
    plan: z.string().describe('The plan that holds now; `free` after a trial that ran out.'),
    subscription_status: z
      .enum(['trialing', 'free', 'active', 'past_due', 'unpaid', 'canceled'])
      .describe('How the subscription stands now.'),
    trial_ends_at: Time.nullable().describe('When the trial ends or ended.'),
    limits: z.strictObject({ max_users: z.int().nullable().describe('Seats; null without a limit.') }).describe('What the plan allows.'),
    usage: z
      .strictObject({
        users: z.int().describe('Active members.'),
        open_invites: z.int().describe('Invites that hold a seat.'),
      })
      .describe('What is taken of it.'),
    created_at: Time,
  })
  .meta({
    id: 'AccountResponse',
    examples: [
      {
        id: exampleIds.account,
        name: 'Northwind IT',
        timezone: 'Europe/Berlin',
        settings: {},
        plan: 'pro',
        subscription_status: 'trialing',
        trial_ends_at: '2026-12-05T09:30:00.000Z',
        limits: { max_users: 10 },
        usage: { users: 4, open_invites: 1 },
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })
export type Account = z.infer<typeof Account>

export const AccountUpdate = z
  .strictObject({
    name: Name.describe('As members see it.'),
    timezone: Timezone,
    settings: Open.describe('Replaces what was there; 16 KB.'),
  })
  .partial()
  .meta({ id: 'AccountUpdate', examples: [{ name: 'Northwind IT', timezone: 'Europe/Berlin' }] })
export type AccountUpdate = z.infer<typeof AccountUpdate>

export const Preferences = Open.meta({ id: 'AccountPreferences', examples: [{ templatize_prompt_enabled: true, theme: 'dark' }] }).describe(
  'The preferences of the account.',
)

export const PreferencesUpdate = z
  .object({
    templatize_prompt_enabled: z.boolean().nullable().describe('Whether to offer a template after a script was used.'),
    default_export_format: z
      .enum(['markdown', 'text', 'html', 'ticket-note', 'pdf'])
      .nullable()
      .describe('What an export is when nothing is said.'),
    mask_exports: z.boolean().nullable().describe('Whether exports are masked when nothing is said.'),
    theme: z.string().max(100).nullable().describe('The look of the frontend.'),
  })
  .partial()
  .catchall(z.json())
  .describe('Keys to set; null removes one, and any other key is kept as it is. At most 64 keys and 16 KB in all.')
  .meta({ id: 'AccountPreferencesUpdate', examples: [{ mask_exports: true, theme: null }] })

export const Member = z
  .strictObject({
    id: Id,
    email: z.string().describe('The address this person signs in with.'),
    full_name: z.string().describe('As colleagues see it.'),
    role: Role,
    team_id: Id.nullable().describe('The team, if any.'),
    team_role: TeamRole.nullable().describe('What this person is in the team.'),
    is_active: z.boolean().describe('Whether this person may sign in.'),
    email_verified: z.boolean().describe('Whether the address was confirmed.'),
    last_seen_at: Time.nullable().describe('The last sign-in or renewal of one.'),
    created_at: Time,
  })
  .meta({
    id: 'MemberResponse',
    examples: [
      {
        id: exampleIds.user,
        email: 'dana@northwind.example',
        full_name: 'Dana Reyes',
        role: 'engineer',
        team_id: exampleIds.team,
        team_role: 'member',
        is_active: true,
        email_verified: true,
        last_seen_at: '2026-11-21T09:30:00.000Z',
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })
export type Member = z.infer<typeof Member>

export const MemberUpdate = z
  .strictObject({
    role: Role,
    team_id: z.uuid().nullable().describe('A team of the account; null takes the person out of theirs.'),
    team_role: TeamRole,
    is_active: z.boolean().describe('False deactivates and signs out.'),
  })
  .partial()
  .meta({ id: 'MemberUpdate', examples: [{ role: 'engineer', team_role: 'admin' }] })
export type MemberUpdate = z.infer<typeof MemberUpdate>

export const AuditEntry = z
  .strictObject({
    id: Id,
    account_id: Id,
    actor_id: Id.nullable().describe('Who did it; null when the service did.'),
    actor_name: z.string().nullable().describe('The name of that person now.'),
    action: z.string().describe('`thing.done`.'),
    resource_type: z.string().describe('What it was done to.'),
    resource_id: Id.nullable().describe('Which one.'),
    changes: z.record(z.string(), z.json()).describe('Per field what it was and what it is; `[redacted]` for a secret.'),
    ip: z.string().nullable().describe("The client's address."),
    created_at: Time,
  })
  .meta({
    id: 'AuditLogEntry',
    examples: [
      {
        id: exampleIds.entry,
        account_id: exampleIds.account,
        actor_id: exampleIds.user,
        actor_name: 'Dana Reyes',
        action: 'member.updated',
        resource_type: 'member',
        resource_id: exampleIds.user,
        changes: { role: { from: 'viewer', to: 'engineer' } },
        ip: '198.51.100.7',
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })
