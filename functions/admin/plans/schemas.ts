import * as z from 'zod'
import { PlanKey, seatFields } from '#functions/admin/users/schemas.ts'
import { LeadSource } from '#functions/public/schemas.ts'
import { exampleIds, Id, InputTime, idParams, Secret, Time } from '#http/fields.ts'

const exampleTime = '2026-11-21T09:30:00.000Z'
const maxInt32 = 2_147_483_647
const Cents = z.int().min(0).max(maxInt32).nullable()
const ProviderId = z.string().trim().min(1).max(200).nullable()

const examplePlan = {
  plan: 'pro',
  max_users: 10,
  max_kb_imports: null,
  max_ai_builds_per_month: 50,
  quotas: {
    flows: 2000,
    open_ai_sessions: 1000,
    schedules: 200,
    notification_configs: 10,
    webhooks: 10,
    mails_per_day: 500,
    stored_bytes: 10_737_418_240,
    ai_cost_micros: 50_000_000,
  },
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

const Quota = z.int().min(0).max(maxInt32).nullable()
const PlanQuotas = z
  .strictObject({
    flows: Quota.describe('Flows.'),
    open_ai_sessions: Quota.describe('Open AI sessions.'),
    schedules: Quota.describe('Schedules.'),
    notification_configs: Quota.describe('Configs.'),
    webhooks: Quota.describe('Webhooks.'),
    mails_per_day: Quota.describe('E-mails.'),
    stored_bytes: z.int().min(0).nullable().describe('Bytes.'),
    ai_cost_micros: z.int().min(0).nullable().describe('Millionths of a dollar per month.'),
  })
  .partial()
  .describe('The limits of `GET /accounts/me/usage`; null for none.')
  .meta({ id: 'PlanQuotas', examples: [examplePlan.quotas] })

const nullWithoutBilling = 'null for a plan without billing'
export const PlanLimits = z
  .strictObject({
    plan: z.string().describe('The key of the plan.'),
    ...seatFields,
    quotas: PlanQuotas,
    display_name: z
      .string()
      .nullable()
      .describe(`The name that customers see. This field and every field below are ${nullWithoutBilling}.`),
    description: z.string().nullable().describe('Who the plan is for.'),
    monthly_price_cents: z.int().nullable().describe('Price per month, in cents.'),
    annual_price_cents: z.int().nullable().describe('Price per year, in cents.'),
    currency: z.string().nullable().describe('ISO 4217 code in lower case.'),
    features: z.array(z.string()).nullable().describe('What the plan includes, as text for people.'),
    is_public: z.boolean().nullable().describe('Whether the public price list shows the plan.'),
    is_archived: z
      .boolean()
      .nullable()
      .describe('Whether the plan was withdrawn. The price list never shows a withdrawn plan.'),
    sort_order: z.int().nullable().describe('Position in the list; smaller first.'),
    provider_product_id: z.string().nullable().describe("The billing provider's id of the product."),
    provider_monthly_price_id: z.string().nullable().describe("The provider's id of the monthly price."),
    provider_annual_price_id: z.string().nullable().describe("The provider's id of the annual price."),
  })
  .meta({
    id: 'PlanLimitsResponse',
    examples: [
      {
        ...examplePlan,
        description: 'For a support team that runs its day on flows.',
        features: ['10 seats'],
      },
    ],
  })
export type PlanLimits = z.infer<typeof PlanLimits>

export const PlanLimitsUpdate = z
  .strictObject({
    plan: PlanKey.describe('The key of the plan. An unknown key creates a plan.'),
    max_users: z.int().min(1).max(maxInt32).nullable().optional().describe('Seats; null for no limit.'),
    max_kb_imports: z
      .int()
      .min(0)
      .max(maxInt32)
      .nullable()
      .optional()
      .describe('Knowledge imports in total; null for no limit.'),
    max_ai_builds_per_month: z
      .int()
      .min(0)
      .max(maxInt32)
      .nullable()
      .optional()
      .describe('AI builds per month; null for no limit.'),
    quotas: PlanQuotas.optional(),
    display_name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .nullable()
      .optional()
      .describe('The name that customers see; null leaves it unchanged.'),
    monthly_price_cents: Cents.optional().describe(
      'Price per month, in cents; null for a price by agreement.',
    ),
    annual_price_cents: Cents.optional().describe('Price per year, in cents; null for a price by agreement.'),
    currency: z
      .string()
      .toLowerCase()
      .regex(/^[a-z]{3}$/)
      .optional()
      .describe('ISO 4217 code.'),
    is_public: z.boolean().optional().describe('Whether the public price list shows the plan.'),
    is_archived: z
      .boolean()
      .optional()
      .describe('Whether the plan was withdrawn. The price list never shows a withdrawn plan.'),
    sort_order: z
      .int()
      .min(-maxInt32)
      .max(maxInt32)
      .optional()
      .describe('Position in the list; smaller first.'),
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
    description: z.string().describe('What the feature does.'),
    plans: z.record(z.string(), z.boolean()).describe('For each plan, whether the feature is on by default.'),
    override_count: z.int().describe('How many accounts override the default.'),
    overrides: z
      .array(
        z.strictObject({
          account_id: Id.describe('The account.'),
          account_name: z.string().describe('The name of the account.'),
          enabled: z.boolean().describe('Whether the feature is on for this account.'),
        }),
      )
      .describe('The newest 100 overrides.'),
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
  .strictObject({
    plan: PlanKey,
    enabled: z.boolean().describe('Whether accounts on this plan have the feature.'),
  })
  .partial()
  .refine(
    ({ plan, enabled }) => (plan === undefined) === (enabled === undefined),
    'must have both `plan` and `enabled`, or neither',
  )
  .meta({ id: 'PlanFeatureUpdate', examples: [{ plan: 'free', enabled: true }] })
export type PlanFeatureUpdate = z.infer<typeof PlanFeatureUpdate>

export const FeatureOverride = z
  .strictObject({
    account_id: Id.describe('The account.'),
    account_name: z.string().describe('The name of the account.'),
    key: z.string().describe('The key of the feature.'),
    override: z.boolean().nullable().describe('The override of the account; null if the plan decides.'),
    enabled: z.boolean().describe('Whether the account has the feature now.'),
  })
  .meta({
    id: 'FeatureOverrideResponse',
    examples: [
      {
        account_id: exampleIds.account,
        account_name: 'Northwind IT',
        key: 'kb_import',
        override: true,
        enabled: true,
      },
    ],
  })
export type FeatureOverride = z.infer<typeof FeatureOverride>

export const FeatureOverrideUpdate = z
  .strictObject({
    enabled: z
      .boolean()
      .nullable()
      .describe('The override of the account; null deletes it, so that the plan decides.'),
  })
  .partial()
  .meta({ id: 'FeatureOverrideUpdate', examples: [{ enabled: true }] })
export type FeatureOverrideUpdate = z.infer<typeof FeatureOverrideUpdate>

export const InviteCodeCreate = z
  .strictObject({
    max_uses: z.int().min(1).max(1_000_000).default(1).describe('How many users may register with the code.'),
    expires_at: InputTime.nullable().optional().describe('When the code expires; null for never.'),
    note: z.string().max(1000).nullable().optional().describe('A note for staff.'),
  })
  .meta({
    id: 'PlatformInviteCodeCreate',
    examples: [{ max_uses: 20, expires_at: '2026-12-31T00:00:00.000Z', note: 'Spring fair' }],
  })
export type InviteCodeCreate = z.infer<typeof InviteCodeCreate>

const codeFields = {
  id: Id,
  max_uses: z.int().describe('How many users may register with the code.'),
  used_count: z.int().describe('How many users have registered with it.'),
  status: z
    .enum(['open', 'used_up', 'expired'])
    .meta({ id: 'PlatformInviteCodeStatus' })
    .describe('Only an open code can be used to register.'),
  expires_at: Time.nullable().describe('When the code expires; null for never.'),
  note: z.string().nullable().describe('A note for staff.'),
  created_by: Id.nullable().describe('The user who created the code.'),
  created_by_name: z.string().nullable().describe('The name of that user.'),
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
  created_at: exampleTime,
}
export const InviteCode = z
  .strictObject(codeFields)
  .meta({ id: 'PlatformInviteCodeResponse', examples: [{ ...exampleCode, used_count: 3 }] })
export type InviteCode = z.infer<typeof InviteCode>

export const NewInviteCode = z
  .strictObject({
    ...codeFields,
    code: Secret.describe('The code to register with. Only this response contains it.'),
  })
  .meta({
    id: 'NewPlatformInviteCodeResponse',
    examples: [{ ...exampleCode, code: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU' }],
  })

export const LeadQuery = z.strictObject({
  source: LeadSource.optional().describe('Only leads from this source.'),
})
export type LeadQuery = z.infer<typeof LeadQuery>

export const SalesLead = z
  .strictObject({
    id: Id,
    email: z.string().describe('The e-mail address to reply to.'),
    name: z.string().describe('The name of the person.'),
    company: z.string().describe('The company.'),
    source: LeadSource,
    message: z.string().nullable().describe('The message, if any.'),
    phone: z.string().nullable().describe('The phone number, if any.'),
    seats: z.int().nullable().describe('How many people would use the service.'),
    received_at: Time.describe('When the lead was received.'),
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
        received_at: exampleTime,
      },
    ],
  })
export type SalesLead = z.infer<typeof SalesLead>
