import * as z from 'zod'
import { Token } from '#functions/identity/auth/schemas.ts'
import { Credential } from '#functions/identity/passkeys/schemas.ts'
import { Secret, Time } from '#http/fields.ts'

export const MfaState = z
  .strictObject({
    totp_enabled: z.boolean().describe('Whether an authenticator app is set up.'),
    passkeys: z.int().describe('How many passkeys there are.'),
    recovery_codes_left: z.int().describe('How many recovery codes are unused.').meta({ example: 10 }),
    is_required: z.boolean().describe('Whether I must have a second factor.'),
    verified_at: Time.nullable().describe('When this sign-in last verified a second factor.'),
  })
  .meta({ id: 'MfaResponse' })

export const TotpSecret = z
  .strictObject({
    secret: Secret.describe('The secret in base32. It is not shown again.').meta({
      example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    }),
    otpauth_url: Secret.describe('The same for a QR code.').meta({
      example:
        'otpauth://totp/Support%20Flow:dana?issuer=Support%20Flow&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    }),
  })
  .meta({ id: 'TotpSecretResponse' })

/** Apps and printed lists group the characters. */
const removeSpaces = (text: string) => text.replace(/\s+/g, '')
const Code = z
  .string()
  .max(40)
  .overwrite(removeSpaces)
  .min(6)
  .describe('The code of the authenticator app, or a recovery code.')

export const TotpCode = z
  .strictObject({
    code: z
      .string()
      .max(40)
      .overwrite(removeSpaces)
      .min(6)
      .describe('The code of the authenticator app.')
      .meta({ example: '123456' }),
  })
  .meta({ id: 'TotpVerifyRequest' })

export const RecoveryCodes = z
  .strictObject({
    recovery_codes: z
      .array(Secret)
      .describe('Each can be used once instead of a code. They are not shown again.'),
  })
  .meta({ id: 'RecoveryCodesResponse' })

const factorFields = { code: Code.optional().meta({ example: '123456' }), passkey: Credential.optional() }
const hasOneFactor = ({ code, passkey }: { code?: unknown; passkey?: unknown }) =>
  (code === undefined) !== (passkey === undefined)
const oneFactor = { path: ['code'], message: 'must be given, or else `passkey`, but not both' }

export const StepUp = z
  .strictObject(factorFields)
  .refine(hasOneFactor, oneFactor)
  .meta({ id: 'StepUpRequest' })

export const Challenge = z
  .strictObject({
    mfa_token: Token.describe('From the sign-in.'),
    ...factorFields,
  })
  .refine(hasOneFactor, oneFactor)
  .meta({ id: 'MfaChallengeRequest' })

/** A second factor as it was sent: one of the two. */
export type Factor = z.output<typeof StepUp>
export type Challenge = z.output<typeof Challenge>
