import * as z from 'zod'
import { AnyPassword } from '#functions/identity/auth/schemas.ts'
import { PhoneNumber, Time } from '#http/fields.ts'

export const PhoneNumberState = z
  .strictObject({
    number: z
      .string()
      .nullable()
      .describe('My verified number, in E.164; null without one.')
      .meta({ example: '+4930123456' }),
    verified_at: Time.nullable().describe('When I confirmed it.'),
    pending_number: z
      .string()
      .nullable()
      .describe('The number that waits for its code; null without one.')
      .meta({ example: null }),
    code_expires_at: Time.nullable().describe('When its code ends.'),
  })
  .meta({ id: 'PhoneNumberResponse' })
export type PhoneNumberState = z.infer<typeof PhoneNumberState>

export const PhoneNumberCreate = z
  .strictObject({
    number: PhoneNumber.describe('The number, in E.164.'),
    password: AnyPassword.optional().describe('My password; required if I have one.'),
  })
  .meta({ id: 'PhoneNumberCreate' })
export type PhoneNumberCreate = z.infer<typeof PhoneNumberCreate>

export const PhoneNumberConfirmation = z
  .strictObject({
    code: z
      .string()
      .regex(/^\d{6}$/, 'must be six digits')
      .describe('The code of the text message.')
      .meta({ example: '123456' }),
  })
  .meta({ id: 'PhoneNumberConfirmation' })
