import { z } from 'zod'
import { exampleIds, Id, idParams, Name, TeamRole, Time } from '../../lib/http/fields.ts'

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

export const TeamMembership = z
  .strictObject({ team_role: TeamRole.default('member') })
  .meta({ id: 'TeamMembership', examples: [{ team_role: 'admin' }] })
