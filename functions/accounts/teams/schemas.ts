import { z } from 'zod'
import { exampleIds, Id, idParams, Name, TeamRole, Time } from '../../../lib/http/fields.ts'

export const TeamId = idParams('team_id', 'team')
export const TeamMemberId = TeamId.extend(idParams('user_id', 'member').shape)

export const Team = z
  .strictObject({
    id: Id,
    account_id: Id.describe('The account it is in.'),
    name: z.string().describe('As members see it.'),
    member_count: z.int().describe('Active members.'),
    created_at: Time,
  })
  .meta({
    id: 'TeamResponse',
    examples: [
      {
        id: exampleIds.team,
        account_id: exampleIds.account,
        name: 'Field service',
        member_count: 4,
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })
export type Team = z.infer<typeof Team>

export const TeamCreate = z
  .strictObject({ name: Name.describe('As members see it.') })
  .meta({ id: 'TeamCreate', examples: [{ name: 'Field service' }] })

export const TeamUpdate = z
  .strictObject({ name: Name.describe('As members see it.') })
  .partial()
  .meta({ id: 'TeamUpdate', examples: [{ name: 'Field service, north' }] })

const colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'Must be a colour like #1d4ed8')
  .toLowerCase()
const Line = (max: number) => z.string().trim().min(1).max(max)

const look = {
  company_name: Line(200).nullable().describe('Above every page of a document; null for the name of the account.'),
  primary_colour: colour.nullable().describe('Of headings and lines, as `#rrggbb`.'),
  footer_text: Line(500).nullable().describe('Below every page.'),
  logo_upload_id: z.uuid().nullable().describe('An upload of the account.'),
}
const example = {
  company_name: 'Northwind IT',
  primary_colour: '#1d4ed8',
  footer_text: 'Northwind IT, 12 Harbour Street',
  logo_upload_id: exampleIds.upload,
}

export const Branding = z
  .strictObject({ team_id: Id.describe('Whose documents look so.'), ...look })
  .meta({ id: 'BrandingResponse', examples: [{ team_id: exampleIds.team, ...example }] })
export type Branding = z.infer<typeof Branding>

export const BrandingUpdate = z
  .strictObject(look)
  .partial()
  .meta({ id: 'BrandingUpdate', examples: [example] })
export type BrandingUpdate = z.infer<typeof BrandingUpdate>

export const TeamMembership = z
  .strictObject({ team_role: TeamRole.default('member') })
  .meta({ id: 'TeamMembership', examples: [{ team_role: 'admin' }] })
