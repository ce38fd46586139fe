import { z } from 'zod'
import { exampleIds, Id, idParams, Time } from '../../../lib/http/fields.ts'
import { LeadSource } from '../../public/schemas.ts'
import { PlanKey } from '../users/schemas.ts'

const moment = '2026-11-21T09:30:00.000Z'
const most = 2_147_483_647
const Cents = z.int().min(0).max(most).nullable()
const ProviderId = z.string().trim().min(1).max(200).nullable()

const examplePlan = {
  plan: 'pro',
  max_users: 10,
  max_kb_imports: null,
  max_ai_builds_per_month: 50,
  display_name: 'Pro',
  monthly_price_cents: 4900,
  annual_price_cents: 49_000,
  currency: 'usd',
  is_public: true,
  is_archived: false,
  sort_order: 20,
  provider_product_id: 'prod_1',
  provider_monthly_price_id: 'price_1',
  provider_annual_price_id: 'price_2',
}

const unbilled = 'null for a plan without billing'
export const PlanLimits = z
  .strictObject({
    plan: z.string().describe('The key of the plan.'),
    max_users: z.int().nullable().describe('Seats; null without a limit.'),
    max_kb_imports: z.int().nullable().describe('Knowledge imports in all; null without a limit.'),
    max_ai_builds_per_month: z.int().nullable().describe('AI builds a month; null without a limit.'),
    display_name: z.string().nullable().describe(`As customers see it; ${unbilled}, like everything below.`),
    description: z.string().nullable().describe('What it is for.'),
    monthly_price_cents: z.int().nullable().describe('A month, in cents.'),
    annual_price_cents: z.int().nullable().describe('A year, in cents.'),
    currency: z.string().nullable().describe('ISO 4217, in small letters.'),
    features: z.array(z.string()).nullable().describe('What is in it, for people.'),
    is_public: z.boolean().nullable().describe('Whether it is on offer.'),
    is_archived: z.boolean().nullable().describe('Whether it was on offer once.'),
    sort_order: z.int().nullable().describe('The smaller, the earlier.'),
    provider_product_id: z.string().nullable().describe("The billing provider's id of the product."),
    provider_monthly_price_id: z.string().nullable().describe("The provider's id of the monthly price."),
    provider_annual_price_id: z.string().nullable().describe("The provider's id of the annual price."),
  })
  .meta({
    id: 'PlanLimitsResponse',
    examples: [{ ...examplePlan, description: 'For a support team that runs its day on flows.', features: ['10 seats'] }],
  })
export type PlanLimits = z.infer<typeof PlanLimits>

export const PlanLimitsUpdate = z
  .strictObject({
    plan: PlanKey.describe('The plan; one that is not there yet is made.'),
    max_users: z.int().min(1).max(most).nullable().optional().describe('Seats; null without a limit.'),
    max_kb_imports: z.int().min(0).max(most).nullable().optional().describe('Knowledge imports in all; null without a limit.'),
    max_ai_builds_per_month: z.int().min(0).max(most).nullable().optional().describe('AI builds a month; null without a limit.'),
    display_name: z.string().trim().min(1).max(200).nullable().optional().describe('As customers see it; null leaves it as it is.'),
    monthly_price_cents: Cents.optional().describe('A month, in cents; null by agreement.'),
    annual_price_cents: Cents.optional().describe('A year, in cents; null by agreement.'),
    currency: z
      .string()
      .toLowerCase()
      .regex(/^[a-z]{3}$/)
      .optional()
      .describe('ISO 4217.'),
    is_public: z.boolean().optional().describe('Whether it is on offer.'),
    is_archived: z.boolean().optional().describe('Whether it was on offer once.'),
    sort_order: z.int().min(-most).max(most).optional().describe('The smaller, the earlier.'),
    provider_product_id: ProviderId.optional().describe("The billing provider's id of the product."),
    provider_monthly_price_id: ProviderId.optional().describe("The provider's id of the monthly price."),
    provider_annual_price_id: ProviderId.optional().describe("The provider's id of the annual price."),
  })
  .meta({ id: 'PlanLimitsUpdate', examples: [examplePlan] })
export type PlanLimitsUpdate = z.infer<typeof PlanLimitsUpdate>

export const FlagKey = z.object({ flag_key: z.string().min(1).max(100).describe('The key of the feature.') })
export const AccountFlagKey = idParams('account_id', 'account').extend(FlagKey.shape)

export const FeatureFlag = z
  .strictObject({
    key: z.string().describe('The key of the feature.'),
    description: z.string().describe('What it is.'),
    plans: z.record(z.string(), z.boolean()).describe('Per plan whether it is on by default.'),
    override_count: z.int().describe('How many accounts have a value of their own.'),
    overrides: z
      .array(
        z.strictObject({
          account_id: Id.describe('The account.'),
          account_name: z.string().describe('Its name.'),
          enabled: z.boolean().describe('Its own value.'),
        }),
      )
      .describe('The newest 100 of them.'),
  })
  .meta({
    id: 'FeatureFlagResponse',
    examples: [
      {
        key: 'maintenance_schedules',
        description: 'Maintenance flows on a schedule.',
        plans: { free: false, pro: true },
        override_count: 1,
        overrides: [{ account_id: exampleIds.account, account_name: 'Northwind IT', enabled: true }],
      },
    ],
  })
export type FeatureFlag = z.infer<typeof FeatureFlag>

export const PlanFeatureUpdate = z
  .strictObject({ plan: PlanKey, enabled: z.boolean().describe('Whether accounts on this plan have it.') })
  .partial()
  .refine(({ plan, enabled }) => (plan === undefined) === (enabled === undefined), '`plan` and `enabled` go together')
  .meta({ id: 'PlanFeatureUpdate', examples: [{ plan: 'free', enabled: true }] })
export type PlanFeatureUpdate = z.infer<typeof PlanFeatureUpdate>

export const FeatureOverride = z
  .strictObject({
    account_id: Id.describe('The account.'),
    account_name: z.string().describe('Its name.'),
    key: z.string().describe('The key of the feature.'),
    override: z.boolean().nullable().describe("The account's own value; null when its plan decides."),
    enabled: z.boolean().describe('Whether the account has the feature now.'),
  })
  .meta({
    id: 'FeatureOverrideResponse',
    examples: [{ account_id: exampleIds.account, account_name: 'Northwind IT', key: 'kb_import', override: true, enabled: true }],
  })
export type FeatureOverride = z.infer<typeof FeatureOverride>

export const FeatureOverrideUpdate = z
  .strictObject({ enabled: z.boolean().nullable().describe('The own value of the account; null lets its plan decide again.') })
  .partial()
  .meta({ id: 'FeatureOverrideUpdate', examples: [{ enabled: true }] })
export type FeatureOverrideUpdate = z.infer<typeof FeatureOverrideUpdate>

export const InviteCodeCreate = z
  .strictObject({
    max_uses: z.int().min(1).max(1_000_000).default(1).describe('How many people may register with it.'),
    expires_at: z.iso.datetime({ offset: true }).nullable().optional().describe('Until when; null without an end.'),
    note: z.string().max(1000).nullable().optional().describe('What it is for, for staff.'),
  })
  .meta({ id: 'PlatformInviteCodeCreate', examples: [{ max_uses: 20, expires_at: '2026-12-31T00:00:00.000Z', note: 'Spring fair' }] })
export type InviteCodeCreate = z.infer<typeof InviteCodeCreate>

const codeFields = {
  id: Id,
  max_uses: z.int().describe('How many people may register with it.'),
  used_count: z.int().describe('How many have.'),
  status: z.enum(['open', 'used_up', 'expired']).describe('Only an open one works.'),
  expires_at: Time.nullable().describe('Until when; null without an end.'),
  note: z.string().nullable().describe('What it is for.'),
  created_by: Id.nullable().describe('Who made it.'),
  created_by_name: z.string().nullable().describe('The name of that person.'),
  created_at: Time,
}
const exampleCode = {
  id: exampleIds.invite,
  max_uses: 20,
  used_count: 0,
  status: 'open' as const,
  expires_at: '2026-12-31T00:00:00.000Z',
  note: 'Spring fair',
  created_by: exampleIds.user,
  created_by_name: 'Sam Berg',
  created_at: moment,
}
export const InviteCode = z
  .strictObject(codeFields)
  .meta({ id: 'PlatformInviteCodeResponse', examples: [{ ...exampleCode, used_count: 3 }] })
export type InviteCode = z.infer<typeof InviteCode>

export const NewInviteCode = z
  .strictObject({ ...codeFields, code: z.string().describe('What to register with. It is told here and never again.') })
  .meta({ id: 'NewPlatformInviteCodeResponse', examples: [{ ...exampleCode, code: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU' }] })

export const LeadQuery = z.strictObject({ source: LeadSource.optional().describe('From one place only.') })
export type LeadQuery = z.infer<typeof LeadQuery>

export const SalesLead = z
  .strictObject({
    id: Id,
    email: z.string().describe('Where to answer.'),
    name: z.string().describe('Who asks.'),
    company: z.string().describe('For whom.'),
    source: LeadSource,
    message: z.string().nullable().describe('What they want to say.'),
    phone: z.string().nullable().describe('Where to call.'),
    seats: z.int().nullable().describe('How many people would use it.'),
    received_at: Time.describe('When it came in.'),
  })
  .meta({
    id: 'SalesLeadResponse',
    examples: [
      {
        id: exampleIds.entry,
        email: 'nora@fabrikam.example',
        name: 'Nora Lindt',
        company: 'Fabrikam Managed IT',
        source: 'pricing_page',
        message: null,
        phone: null,
        seats: 40,
        received_at: moment,
      },
    ],
  })
export type SalesLead = z.infer<typeof SalesLead>
