import * as z from 'zod'
import { IdentityProvider } from '#functions/identity/oauth/schemas.ts'
import { Email, Id, Name, Time } from '#http/fields.ts'

export const PublicPlan = z
  .strictObject({
    plan: z.string().describe('The key of the plan.'),
    display_name: z.string().describe('The name that customers see.'),
    description: z
      .string()
      .describe('Who the plan is for.')
      .meta({ example: 'For a support team that runs its day on flows.' }),
    monthly_price_cents: z
      .int()
      .nullable()
      .describe('Price per month, in cents; null for a price by agreement.'),
    annual_price_cents: z
      .int()
      .nullable()
      .describe('Price per year, in cents; null for a price by agreement.'),
    currency: z.string().describe('ISO 4217 code in lower case.'),
    sort_order: z.int().describe('Position in the list; smaller first.').meta({ example: 20 }),
    features: z
      .array(z.string())
      .describe('What the plan includes, as text for people.')
      .meta({ example: ['10 seats', 'Maintenance schedules'] }),
    max_seats: z.int().nullable().describe('Seats; null for no limit.').meta({ example: 10 }),
  })
  .meta({ id: 'PublicPlanResponse' })
export type PublicPlan = z.infer<typeof PublicPlan>

export const PublicConfig = z
  .strictObject({
    self_serve_enabled: z.boolean().describe('Whether anyone may register without a platform invite code.'),
    oauth_providers: z.array(IdentityProvider).describe('The configured identity providers.'),
  })
  .meta({ id: 'PublicConfigResponse' })

export const LeadSource = z
  .enum(['pricing_page', 'contact_form', 'landing_page', 'demo_request', 'referral'])
  .meta({ id: 'SalesLeadSource' })
  .describe('Where the lead came from.')

export const SalesLeadCreate = z
  .strictObject({
    email: Email.describe('The e-mail address to reply to.'),
    name: Name.describe('The name of the person.').meta({ example: 'Nora Lindt' }),
    company: Name.describe('The company.'),
    source: LeadSource,
    message: z
      .string()
      .max(4000)
      .optional()
      .describe('A message to sales.')
      .meta({ example: 'We are 40 technicians in three offices.' }),
    phone: z
      .string()
      .max(50)
      .optional()
      .describe('A phone number to call back.')
      .meta({ example: '+49 30 1234567' }),
    seats: z.int().min(1).max(1_000_000).optional().describe('How many people would use the service.'),
  })
  .meta({ id: 'SalesLeadCreate' })
export type SalesLeadCreate = z.infer<typeof SalesLeadCreate>

export const SalesLeadReceipt = z
  .strictObject({ id: Id, received_at: Time.describe('When the lead was received.') })
  .meta({ id: 'SalesLeadCreateResponse' })
