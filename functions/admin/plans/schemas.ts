import * as z from 'zod'
import { PlanKey, seatFields } from '#functions/admin/users/schemas.ts'
import { LeadSource } from '#functions/public/schemas.ts'
import { Id, InputTime, idParams, Secret, Time } from '#http/fields.ts'

const maxInt32 = 2_147_483_647
const Cents = z.int().min(0).max(maxInt32).nullable()
const ProviderId = z.string().trim().min(1).max(200).nullable()

const Quota = z.int().min(0).max(maxInt32).nullable()
const PlanQuotas = z
  .strictObject({
    flows: Quota.describe('Flows.').meta({ example: 2000 }),
    open_ai_sessions: Quota.describe('Open AI sessions.').meta({ example: 1000 }),
    schedules: Quota.describe('Schedules.').meta({ example: 200 }),
    notification_configs: Quota.describe('Configs.').meta({ example: 10 }),
    webhooks: Quota.describe('Webhooks.').meta({ example: 10 }),
    mails_per_day: Quota.describe('E-mails.').meta({ example: 500 }),
    stored_bytes: z.int().min(0).nullable().describe('Bytes.').meta({ example: 10_737_418_240 }),
    ai_cost_micros: z
      .int()
      .min(0)
      .nullable()
      .describe('Millionths of a dollar per month.')
      .meta({ example: 50_000_000 }),
  })
  .partial()
  .describe('The limits of `GET /accounts/me/usage`; null for none.')
  .meta({ id: 'PlanQuotas' })

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
    description: z
      .string()
      .nullable()
      .describe('Who the plan is for.')
      .meta({ example: 'For a support team that runs its day on flows.' }),
    monthly_price_cents: z.int().nullable().describe('Price per month, in cents.'),
    annual_price_cents: z.int().nullable().describe('Price per year, in cents.'),
    currency: z.string().nullable().describe('ISO 4217 code in lower case.'),
    features: z
      .array(z.string())
      .nullable()
      .describe('What the plan includes, as text for people.')
      .meta({ example: ['10 seats'] }),
    is_public: z
      .boolean()
      .nullable()
      .describe('Whether the public price list shows the plan.')
      .meta({ example: true }),
    is_archived: z
      .boolean()
      .nullable()
      .describe('Whether the plan was withdrawn. The price list never shows a withdrawn plan.'),
    sort_order: z.int().nullable().describe('Position in the list; smaller first.').meta({ example: 20 }),
    provider_product_id: z
      .string()
      .nullable()
      .describe("The billing provider's id of the product.")
      .meta({ example: 'prod_1' }),
    provider_monthly_price_id: z
      .string()
      .nullable()
      .describe("The provider's id of the monthly price.")
      .meta({ example: 'price_1' }),
    provider_annual_price_id: z
      .string()
      .nullable()
      .describe("The provider's id of the annual price.")
      .meta({ example: 'price_2' }),
  })
  .meta({ id: 'PlanLimitsResponse' })
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
    is_public: z
      .boolean()
      .optional()
      .describe('Whether the public price list shows the plan.')
      .meta({ example: true }),
    is_archived: z
      .boolean()
      .optional()
      .describe('Whether the plan was withdrawn. The price list never shows a withdrawn plan.'),
    sort_order: z
      .int()
      .min(-maxInt32)
      .max(maxInt32)
      .optional()
      .describe('Position in the list; smaller first.')
      .meta({ example: 20 }),
    provider_product_id: ProviderId.optional()
      .describe("The billing provider's id of the product.")
      .meta({ example: 'prod_1' }),
    provider_monthly_price_id: ProviderId.optional()
      .describe("The provider's id of the monthly price.")
      .meta({ example: 'price_1' }),
    provider_annual_price_id: ProviderId.optional()
      .describe("The provider's id of the annual price.")
      .meta({ example: 'price_2' }),
  })
  .meta({ id: 'PlanLimitsUpdate' })
export type PlanLimitsUpdate = z.infer<typeof PlanLimitsUpdate>

export const FlagKey = z.object({ flag_key: z.string().min(1).max(100).describe('The key of the feature.') })
export const AccountFlagKey = idParams('account_id', 'account').extend(FlagKey.shape)

export const FeatureFlag = z
  .strictObject({
    key: z.string().describe('The key of the feature.').meta({ example: 'maintenance_schedules' }),
    description: z
      .string()
      .describe('What the feature does.')
      .meta({ example: 'Maintenance flows on a schedule.' }),
    plans: z
      .record(z.string(), z.boolean())
      .describe('For each plan, whether the feature is on by default.')
      .meta({ example: { free: false, pro: true } }),
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
  .meta({ id: 'FeatureFlagResponse' })
export type FeatureFlag = z.infer<typeof FeatureFlag>

export const PlanFeatureUpdate = z
  .strictObject({
    plan: PlanKey,
    enabled: z.boolean().describe('Whether accounts on this plan have the feature.').meta({ example: true }),
  })
  .partial()
  .refine(
    ({ plan, enabled }) => (plan === undefined) === (enabled === undefined),
    'must have both `plan` and `enabled`, or neither',
  )
  .meta({ id: 'PlanFeatureUpdate' })
export type PlanFeatureUpdate = z.infer<typeof PlanFeatureUpdate>

export const FeatureOverride = z
  .strictObject({
    account_id: Id.describe('The account.'),
    account_name: z.string().describe('The name of the account.'),
    key: z.string().describe('The key of the feature.').meta({ example: 'kb_import' }),
    override: z
      .boolean()
      .nullable()
      .describe('The override of the account; null if the plan decides.')
      .meta({ example: true }),
    enabled: z.boolean().describe('Whether the account has the feature now.'),
  })
  .meta({ id: 'FeatureOverrideResponse' })
export type FeatureOverride = z.infer<typeof FeatureOverride>

export const FeatureOverrideUpdate = z
  .strictObject({
    enabled: z
      .boolean()
      .nullable()
      .describe('The override of the account; null deletes it, so that the plan decides.')
      .meta({ example: true }),
  })
  .partial()
  .meta({ id: 'FeatureOverrideUpdate' })
export type FeatureOverrideUpdate = z.infer<typeof FeatureOverrideUpdate>

export const InviteCodeCreate = z
  .strictObject({
    max_uses: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1)
      .describe('How many users may register with the code.')
      .meta({ example: 20 }),
    expires_at: InputTime.nullable().optional().describe('When the code expires; null for never.'),
    note: z
      .string()
      .max(1000)
      .nullable()
      .optional()
      .describe('A note for staff.')
      .meta({ example: 'Spring fair' }),
  })
  .meta({ id: 'PlatformInviteCodeCreate' })
export type InviteCodeCreate = z.infer<typeof InviteCodeCreate>

const codeFields = {
  id: Id,
  max_uses: z.int().describe('How many users may register with the code.').meta({ example: 20 }),
  used_count: z.int().describe('How many users have registered with it.').meta({ example: 3 }),
  status: z
    .enum(['open', 'used_up', 'expired'])
    .meta({ id: 'PlatformInviteCodeStatus' })
    .describe('Only an open code can be used to register.'),
  expires_at: Time.nullable().describe('When the code expires; null for never.'),
  note: z.string().nullable().describe('A note for staff.').meta({ example: 'Spring fair' }),
  created_by: Id.nullable().describe('The user who created the code.'),
  created_by_name: z.string().nullable().describe('The name of that user.'),
  created_at: Time,
}
export const InviteCode = z.strictObject(codeFields).meta({ id: 'PlatformInviteCodeResponse' })
export type InviteCode = z.infer<typeof InviteCode>

export const NewInviteCode = z
  .strictObject({
    ...codeFields,
    code: Secret.describe('The code to register with. Only this response contains it.').meta({
      example: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
    }),
  })
  .meta({ id: 'NewPlatformInviteCodeResponse' })

export const LeadQuery = z.strictObject({
  source: LeadSource.optional().describe('Only leads from this source.'),
})
export type LeadQuery = z.infer<typeof LeadQuery>

export const SalesLead = z
  .strictObject({
    id: Id,
    email: z.string().describe('The e-mail address to reply to.'),
    name: z.string().describe('The name of the person.').meta({ example: 'Nora Lindt' }),
    company: z.string().describe('The company.'),
    source: LeadSource,
    message: z.string().nullable().describe('The message, if any.'),
    phone: z.string().nullable().describe('The phone number, if any.'),
    seats: z.int().nullable().describe('How many people would use the service.'),
    received_at: Time.describe('When the lead was received.'),
  })
  .meta({ id: 'SalesLeadResponse' })
export type SalesLead = z.infer<typeof SalesLead>
