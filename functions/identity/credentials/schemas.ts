import * as z from 'zod'
import { AnyPassword, Password, Token } from '#functions/identity/auth/schemas.ts'
import { Email } from '#http/fields.ts'

export const ChangePassword = z
  .strictObject({
    current_password: AnyPassword.describe('The current password.').meta({ example: 'violet-tractor-81' }),
    new_password: Password,
  })
  .meta({ id: 'ChangePasswordRequest' })
export type ChangePassword = z.infer<typeof ChangePassword>

export const ForgotPassword = z
  .strictObject({ email: Email.describe('The e-mail address of the user.') })
  .meta({ id: 'ForgotPasswordRequest' })

export const ResetPassword = z
  .strictObject({ token: Token.describe('The token of the link in the e-mail.'), new_password: Password })
  .meta({ id: 'ResetPasswordRequest' })
export type ResetPassword = z.infer<typeof ResetPassword>

export const VerifyEmail = z
  .strictObject({ token: Token.describe('The token of the link in the e-mail.') })
  .meta({ id: 'VerifyEmailRequest' })
