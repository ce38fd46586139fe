import * as z from 'zod'
import { Email, exampleIds, Id, idParams, Role, Time } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const InviteId = idParams('invite_id', 'invite')
export const InviteCode = z.object({
  code: z.string().min(1).max(500).describe('The code of the link in the e-mail.'),
})

export const Invite = z
  .strictObject({
    id: Id,
    email: z.string().describe('The invited e-mail address.'),
    role: Role.describe('The role of the new member.'),
    team_id: Id.nullable().describe('The team to join; null for the first team of the account.'),
    status: z
      .enum(['open', 'accepted', 'revoked', 'expired'])
      .meta({ id: 'InviteStatus' })
      .describe('Only an open invite can be accepted. An open invite takes a seat.'),
    invited_by: Id.nullable().describe('The user who created the invite.'),
    inviter_name: z.string().nullable().describe('The name of that user.'),
    expires_at: Time.describe('7 days after the last e-mail.'),
    accepted_at: Time.nullable().describe('When the invite was accepted.'),
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
    email: Email.describe('The e-mail address to invite.'),
    role: Role.describe('The role of the new member.'),
    team_id: Uuid.optional().describe('The team to join; by default the first team of the account.'),
  })
  .meta({ id: 'InviteCreate', examples: [{ email: 'vik@northwind.example', role: 'engineer' }] })
export type InviteCreate = z.infer<typeof InviteCreate>

export const InviteLookup = z
  .strictObject({
    account_name: z.string().describe('The name of the account that invites.'),
    inviter_name: z.string().nullable().describe('The name of the user who invites.'),
    invited_email: z.string().describe('The invited e-mail address.'),
    role: Role.describe('The role of the new member.'),
  })
  .meta({
    id: 'InviteLookupResponse',
    examples: [
      {
        account_name: 'Northwind IT',
        inviter_name: 'Dana Reyes',
        invited_email: 'vik@northwind.example',
        role: 'engineer',
      },
    ],
  })
export type InviteLookup = z.infer<typeof InviteLookup>
