import { z } from 'zod'
import { exampleIds, Id, idParams } from '../../../lib/http/fields.ts'

export const UserId = idParams('user_id', 'user')

export const Member = z
  .strictObject({
    id: z.string().describe("The ticketing system's id."),
    identifier: z.string().describe('The name they sign in with there.'),
    name: z.string().describe('Who it is.'),
    email: z.string().nullable().describe('Their address there.'),
  })
  .meta({ id: 'PsaMember', examples: [{ id: '176', identifier: 'dreyes', name: 'Dana Reyes', email: 'dana@northwind.example' }] })

export const MemberMapping = z
  .strictObject({
    user_id: Id.describe('A user of the account.'),
    full_name: z.string().describe('Their name.'),
    email: z.string().describe('Their address.'),
    psa_member_id: z.string().nullable().describe('The member they are in the ticketing system; null when unmapped.'),
    psa_identifier: z.string().nullable().describe('What that member signs in with; null when unmapped.'),
    psa_name: z.string().nullable().describe("That member's name; null when unmapped."),
    suggested_member_id: z
      .string()
      .nullable()
      .describe('For somebody unmapped: the one member of the same address, if there is one and the ticketing system answers.'),
  })
  .meta({
    id: 'PsaMemberMapping',
    examples: [
      {
        user_id: exampleIds.user,
        full_name: 'Dana Reyes',
        email: 'dana@northwind.example',
        psa_member_id: null,
        psa_identifier: null,
        psa_name: null,
        suggested_member_id: '176',
      },
    ],
  })
export type MemberMapping = z.infer<typeof MemberMapping>

export const MappingUpdate = z
  .strictObject({
    psa_member_id: z.string().trim().min(1).max(100).nullable().describe('The member they are, or null for nobody.'),
  })
  .partial()
  .meta({ id: 'PsaMemberMappingUpdate', examples: [{ psa_member_id: '176' }] })
export type MappingUpdate = z.infer<typeof MappingUpdate>
