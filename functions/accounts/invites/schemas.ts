import { z } from 'zod'
import { Email, exampleIds, Id, idParams, Role, Time } from '../../../lib/http/fields.ts'

export const InviteId = idParams('invite_id', 'invite')
export const InviteCode = z.object({ code: z.string().min(1).max(500).describe('The code of the link in the mail.') })

export const Invite = z
  .strictObject({
    id: Id,
    email: z.string().describe('Who is invited.'),
    role: Role.describe('The role they will have.'),
    team_id: Id.nullable().describe('The team they will join; null for the first one of the account.'),
    status: z.enum(['open', 'accepted', 'revoked', 'expired']).describe('Only an open one can be used, and holds a seat.'),
    invited_by: Id.nullable().describe('Who invited them.'),
    inviter_name: z.string().nullable().describe('The name of that person.'),
    expires_at: Time.describe('7 days after the last mail.'),
    accepted_at: Time.nullable().describe('When they joined.'),
    created_at: Time,
  })
  .meta({
    id: 'InviteResponse',
    examples: [
      {
        id: exampleIds.invite,
        email: 'vik@northwind.example',
        role: 'engineer',
        team_id: exampleIds.team,
        status: 'open',
        invited_by: exampleIds.user,
        inviter_name: 'Dana Reyes',
        expires_at: '2026-11-28T09:30:00.000Z',
        accepted_at: null,
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })
export type Invite = z.infer<typeof Invite>

export const InviteCreate = z
  .strictObject({
    email: Email.describe('Who is invited.'),
    role: Role.describe('The role they will have.'),
    team_id: z.uuid().optional().describe('The team they will join; the first one of the account when not given.'),
  })
  .meta({ id: 'InviteCreate', examples: [{ email: 'vik@northwind.example', role: 'engineer' }] })
export type InviteCreate = z.infer<typeof InviteCreate>

export const InviteLookup = z
  .strictObject({
    account_name: z.string().describe('The account that invites.'),
    inviter_name: z.string().nullable().describe('Who invites.'),
    invited_email: z.string().describe('Who is invited.'),
    role: Role.describe('The role they will have.'),
  })
  .meta({
    id: 'InviteLookupResponse',
    examples: [{ account_name: 'Northwind IT', inviter_name: 'Dana Reyes', invited_email: 'vik@northwind.example', role: 'engineer' }],
  })
export type InviteLookup = z.infer<typeof InviteLookup>
