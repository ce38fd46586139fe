import { z } from 'zod'
import { exampleIds, Id, idParams, Time } from '../../../lib/http/fields.ts'

export const FamilyId = idParams('family_id', 'sign-in')

export const Device = z
  .strictObject({
    id: Id,
    user_agent: z.string().describe('What the device said it is.'),
    ip: z.string().describe('Where it signed in from.'),
    created_at: Time.describe('When it signed in.'),
    last_used_at: Time.describe('When it last renewed its token.'),
    current: z.boolean().describe('Whether it is the one asking.'),
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
