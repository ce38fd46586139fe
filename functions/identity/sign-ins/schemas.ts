import * as z from 'zod'
import { TokenPair, User } from '#functions/identity/auth/schemas.ts'
import { Id, idParams, Secret, Time } from '#http/fields.ts'

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
  .meta({ id: 'SignedInDevice' })

/** The user of a new sign-in. */
export const SignedInUser = User.extend({ sign_in_id: z.string() })
export type SignedInUser = z.output<typeof SignedInUser>

/** What is stored of a new sign-in. */
export interface NewSignIn {
  refreshHash: string
  userAgent: string
  ip: string
}

const MfaRequired = z
  .strictObject({
    mfa_required: z.literal(true).describe('The sign-in needs a second factor.'),
    mfa_token: Secret.describe('For the challenge. Works once, within 5 minutes.'),
    methods: z
      .array(z.enum(['totp', 'recovery_code', 'passkey']).meta({ id: 'MfaMethod' }))
      .describe('The second factors of this user.'),
  })
  .meta({ id: 'MfaRequiredResponse' })

/** The tokens, or the request for a second factor. */
export const SignInResult = z.union([TokenPair, MfaRequired]).meta({ id: 'SignInResponse' })
export type SignInResult = z.input<typeof SignInResult>
