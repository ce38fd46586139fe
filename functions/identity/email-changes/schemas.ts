import * as z from 'zod'
import { AnyPassword, Token } from '#functions/identity/auth/schemas.ts'
import { Email, Time } from '#http/fields.ts'

export const EmailChangeCreate = z
  .strictObject({
    new_email: Email.describe('The address to sign in with.'),
    password: AnyPassword.optional().describe('My password; required if I have one.'),
  })
  .meta({ id: 'EmailChangeCreate' })
export type EmailChangeCreate = z.infer<typeof EmailChangeCreate>

export const EmailChange = z
  .strictObject({
    new_email: z.string().describe('The address that was asked for.'),
    created_at: Time,
    expires_at: Time.describe('When the change ends, if nobody has confirmed it.'),
  })
  .meta({ id: 'EmailChangeResponse' })
export type EmailChange = z.infer<typeof EmailChange>

export const EmailChangeConfirmation = z
  .strictObject({ token: Token.describe('The token of the link in the e-mail to the new address.') })
  .meta({ id: 'EmailChangeConfirmation' })
