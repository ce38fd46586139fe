import * as z from 'zod'
import { Id, InputTime, idParams, Name, Role, Secret, Time } from '#http/fields.ts'
import { keyScopes } from '#http/key-scopes.ts'
import { toAddressRange } from '#rules/text/address-block.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { Uuid } from '#rules/uuid.ts'

export const ApiKeyId = idParams('key_id', 'API key')

export const Scope = z.enum(keyScopes as [string, ...string[]]).meta({ id: 'ApiKeyScope' })
const AddressRange = z
  .string()
  .max(50)
  .refine((text) => toAddressRange(text) !== null, 'must be an IP address or a CIDR range')
  .transform((text) => toAddressRange(text) ?? text)

export const ApiKey = z
  .strictObject({
    id: Id.describe('Also the id of the user as which the key acts.'),
    name: z
      .string()
      .describe('What the key is for. Rows that it creates show it as the name of their author.')
      .meta({ example: 'Ticket sync' }),
    role: Role.describe('The role of the key.'),
    team_id: Id.nullable().describe('The team of the key; null for none.'),
    scopes: z
      .array(Scope)
      .describe('What the key may do. `write` includes `read`, and `*` is every subject.'),
    allowed_ranges: z
      .array(z.string())
      .describe('The addresses that may use the key, as CIDR ranges. Empty for any address.')
      .meta({ example: ['203.0.113.0/24'] }),
    last_characters: z.string().describe('The last four characters of the key.').meta({ example: '4fQz' }),
    created_by: Id.describe('The admin who created the key.'),
    creator_name: z.string().nullable().describe('The name of that admin.'),
    expires_at: Time.nullable().describe('When the key stops working; null for never.'),
    last_used_at: Time.nullable().describe('When the key was last admitted, to the minute; null for never.'),
    last_ip: z.string().nullable().describe('The address of that request.').meta({ example: '203.0.113.7' }),
    last_user_agent: z
      .string()
      .nullable()
      .describe('The user agent of that request.')
      .meta({ example: 'ticket-sync/1.4' }),
    created_at: Time,
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

export const CreatedApiKey = ApiKey.extend({
  key: Secret.describe('The key. It is shown only here, because only its hash is stored.').meta({
    example: 'sfk_…',
  }),
}).meta({ id: 'CreatedApiKey' })

export const ApiKeyCreate = z
  .strictObject({
    name: Name.max(100).describe('What the key is for.').meta({ example: 'Ticket sync' }),
    role: Role.describe('The role of the key.'),
    team_id: Uuid.nullable()
      .default(null)
      .describe(
        'The team that the key works for, as a member. Without one, it sees and creates what belongs to no team.',
      ),
    scopes: z
      .array(Scope)
      .min(1)
      .max(50)
      .transform((scopes) => [...new Set(scopes)])
      .describe('What the key may do. `write` includes `read`, and `*` is every subject.'),
    allowed_ranges: z
      .array(AddressRange)
      .max(20)
      .superRefine(refuseRepeats((range) => toAddressRange(range) ?? range))
      .default([])
      .describe('Addresses or CIDR ranges that may use the key; by default any.')
      .meta({ example: ['203.0.113.0/24'] }),
    expires_at: InputTime.nullable().default(null).describe('When the key stops working; by default never.'),
  })
  .meta({ id: 'ApiKeyCreate' })
export type ApiKeyCreate = z.infer<typeof ApiKeyCreate>
