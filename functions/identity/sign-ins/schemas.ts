import * as z from 'zod'
import { exampleIds, Id, idParams, Time } from '../../../lib/http/fields.ts'

export const FamilyId = idParams('family_id', 'sign-in')

export const SignIn = z
  .strictObject({
    id: Id,
    user_agent: z.string().describe('The User-Agent header of the device.'),
    ip: z.string().describe('The IP address of the sign-in.'),
    created_at: Time.describe('Time of the sign-in.'),
    last_used_at: Time.describe('When the tokens of the sign-in were last refreshed.'),
    current: z.boolean().describe('Whether this request uses this sign-in.'),
  })
  .meta({
    id: 'SignedInDevice',
    examples: [
      {
        id: exampleIds.signIn,
        user_agent: 'Mozilla/5.0',
        ip: '198.51.100.7',
        created_at: '2026-11-21T09:30:00.000Z',
        last_used_at: '2026-11-21T09:30:00.000Z',
        current: true,
      },
    ],
  })
