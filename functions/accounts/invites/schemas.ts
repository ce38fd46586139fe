import * as z from 'zod'
import { Email, Id, idParams, Role, Time } from '#http/fields.ts'
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
  .meta({ id: 'InviteResponse' })
export type Invite = z.infer<typeof Invite>

export const InviteCreate = z
  .strictObject({
    email: Email.describe('The e-mail address to invite.'),
    role: Role.describe('The role of the new member.'),
    team_id: Uuid.optional().describe('The team to join; by default the first team of the account.'),
  })
  .meta({ id: 'InviteCreate' })
export type InviteCreate = z.infer<typeof InviteCreate>

export const InviteLookup = z
  .strictObject({
    account_name: z.string().describe('The name of the account that invites.'),
    inviter_name: z.string().nullable().describe('The name of the user who invites.'),
    invited_email: z
      .string()
      .describe('The invited e-mail address.')
      .meta({ example: 'vik@northwind.example' }),
    role: Role.describe('The role of the new member.'),
  })
  .meta({ id: 'InviteLookupResponse' })
export type InviteLookup = z.infer<typeof InviteLookup>
