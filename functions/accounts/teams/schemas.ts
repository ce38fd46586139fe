import * as z from 'zod'
import { Id, idParams, Name, TeamRole, Time, Timezone } from '#http/fields.ts'
import { timeOfDayPattern } from '#rules/text/time-of-day.ts'
import { Uuid } from '#rules/uuid.ts'

export const TeamId = idParams('team_id', 'team')
export const TeamMemberId = TeamId.extend(idParams('user_id', 'member').shape)

export const Team = z
  .strictObject({
    id: Id,
    account_id: Id.describe('The account of the team.'),
    name: z.string().describe('The name that members see.').meta({ example: 'Field service' }),
    timezone: z
      .string()
      .nullable()
      .describe('The IANA time zone of its weekly report; null for that of the account.'),
    handover_time: z
      .string()
      .nullable()
      .describe('The local time of its daily message `handover.due`, such as `07:30`; null for none.')
      .meta({ example: '07:30' }),
    member_count: z.int().describe('Active members.').meta({ example: 4 }),
    created_at: Time,
  })
  .meta({ id: 'TeamResponse' })
export type Team = z.infer<typeof Team>

export const TeamCreate = z
  .strictObject({ name: Name.describe('The name that members see.').meta({ example: 'Field service' }) })
  .meta({ id: 'TeamCreate' })

export const TeamUpdate = z
  .strictObject({
    name: Name.describe('The name that members see.').meta({ example: 'Field service, north' }),
    timezone: Timezone.nullable().describe(
      'The IANA time zone of its weekly report; null for that of the account.',
    ),
    handover_time: z
      .string()
      .regex(timeOfDayPattern, 'must be a time of day such as 07:30')
      .nullable()
      .describe('The local time of its daily message `handover.due`; null for none.')
      .meta({ example: '07:30' }),
  })
  .partial()
  .meta({ id: 'TeamUpdate' })
export type TeamUpdate = z.infer<typeof TeamUpdate>

/** A colour, as `#rrggbb` in lower case. */
export const Colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1d4ed8')
  .toLowerCase()
const line = (max: number) => z.string().trim().min(1).max(max)

const brandingFields = {
  company_name: line(200)
    .nullable()
    .describe('The name in the header of every page; null for the name of the account.')
    .meta({ example: 'Northwind IT' }),
  primary_colour: Colour.nullable()
    .describe('The colour of headings and lines, as `#rrggbb`.')
    .meta({ example: '#1d4ed8' }),
  footer_text: line(500)
    .nullable()
    .describe('The text in the footer of every page.')
    .meta({ example: 'Northwind IT, 12 Harbour Street' }),
  logo_upload_id: Uuid.nullable()
    .describe('The id of an uploaded image of the account.')
    .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d1a' }),
}

export const Branding = z
  .strictObject({ team_id: Id.describe('The team of this branding.'), ...brandingFields })
  .meta({ id: 'BrandingResponse' })
export type Branding = z.infer<typeof Branding>

export const BrandingUpdate = z.strictObject(brandingFields).partial().meta({ id: 'BrandingUpdate' })
export type BrandingUpdate = z.infer<typeof BrandingUpdate>

export const TeamMembership = z
  .strictObject({ team_role: TeamRole.default('member') })
  .meta({ id: 'TeamMembership' })
