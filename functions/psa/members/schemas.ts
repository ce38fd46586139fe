import * as z from 'zod'
import { Id, idParams } from '#http/fields.ts'

export const UserId = idParams('user_id', 'user')

export const Member = z
  .strictObject({
    id: z.string().describe('Id in the ticketing system.').meta({ example: '176' }),
    identifier: z.string().describe('Sign-in name in the ticketing system.').meta({ example: 'dreyes' }),
    name: z.string().describe('Full name.').meta({ example: 'Dana Reyes' }),
    email: z.string().nullable().describe('E-mail address in the ticketing system.'),
  })
  .meta({ id: 'PsaMember' })

export const MemberMapping = z
  .strictObject({
    user_id: Id.describe('Id of a user of the account.'),
    full_name: z.string().describe('Name of the user.'),
    email: z.string().describe('E-mail address of the user.'),
    psa_member_id: z.string().nullable().describe('Id of the mapped member; null when unmapped.'),
    psa_identifier: z.string().nullable().describe('Sign-in name of the mapped member; null when unmapped.'),
    psa_name: z.string().nullable().describe('Name of the mapped member; null when unmapped.'),
    suggested_member_id: z
      .string()
      .nullable()
      .describe(
        'For an unmapped user: the only member with the same e-mail address, if there is one and the ticketing system is available.',
      )
      .meta({ example: '176' }),
  })
  .meta({ id: 'PsaMemberMapping' })
export type MemberMapping = z.infer<typeof MemberMapping>

export const MappingUpdate = z
  .strictObject({
    psa_member_id: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .nullable()
      .describe('Id of the member, or null to remove the mapping.')
      .meta({ example: '176' }),
  })
  .partial()
  .meta({ id: 'PsaMemberMappingUpdate' })
export type MappingUpdate = z.infer<typeof MappingUpdate>
