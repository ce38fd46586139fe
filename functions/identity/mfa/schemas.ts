import * as z from 'zod'
import { exampleToken, Token } from '#functions/identity/auth/schemas.ts'
import { Credential } from '#functions/identity/passkeys/schemas.ts'
import { Secret, Time } from '#http/fields.ts'

const exampleSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const exampleRecoveryCode = 'abcd-efgh-ijkl-mnop'

export const MfaState = z
  .strictObject({
    totp_enabled: z.boolean().describe('Whether an authenticator app is set up.'),
    passkeys: z.int().describe('How many passkeys there are.'),
    recovery_codes_left: z.int().describe('How many recovery codes are unused.'),
    is_required: z.boolean().describe('Whether I must have a second factor.'),
    verified_at: Time.nullable().describe('When this sign-in last verified a second factor.'),
  })
  .meta({
    id: 'MfaResponse',
    examples: [
      {
        totp_enabled: true,
        passkeys: 1,
        recovery_codes_left: 10,
        is_required: false,
        verified_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })

export const TotpSecret = z
  .strictObject({
    secret: Secret.describe('The secret in base32. It is not shown again.'),
    otpauth_url: Secret.describe('The same for a QR code.'),
  })
  .meta({
    id: 'TotpSecretResponse',
    examples: [
      {
        secret: exampleSecret,
        otpauth_url: `otpauth://totp/Support%20Flow:dana?issuer=Support%20Flow&secret=${exampleSecret}`,
      },
    ],
  })

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
    code: z.string().max(40).overwrite(removeSpaces).min(6).describe('The code of the authenticator app.'),
  })
  .meta({ id: 'TotpVerifyRequest', examples: [{ code: '123456' }] })

export const RecoveryCodes = z
  .strictObject({
    recovery_codes: z
      .array(Secret)
      .describe('Each can be used once instead of a code. They are not shown again.'),
  })
  .meta({ id: 'RecoveryCodesResponse', examples: [{ recovery_codes: [exampleRecoveryCode] }] })

const factorFields = { code: Code.optional(), passkey: Credential.optional() }
const hasOneFactor = ({ code, passkey }: { code?: unknown; passkey?: unknown }) =>
  (code === undefined) !== (passkey === undefined)
const oneFactor = { path: ['code'], message: 'must be given, or else `passkey`, but not both' }

export const StepUp = z
  .strictObject(factorFields)
  .refine(hasOneFactor, oneFactor)
  .meta({ id: 'StepUpRequest', examples: [{ code: '123456' }] })

export const Challenge = z
  .strictObject({ mfa_token: Token.describe('From the sign-in.'), ...factorFields })
  .refine(hasOneFactor, oneFactor)
  .meta({ id: 'MfaChallengeRequest', examples: [{ mfa_token: exampleToken, code: '123456' }] })

/** A second factor as it was sent: one of the two. */
export type Factor = z.output<typeof StepUp>
export type Challenge = z.output<typeof Challenge>
