import * as z from 'zod'
import { Email, Id, Name, Role, Secret, TeamRole, Time, Timezone, TypedEmail } from '#http/fields.ts'
import { type Feature, features } from '#rules/features.ts'
import { findPasswordWeakness } from '#vendors/auth/passwords.ts'

export const Password = z
  .string()
  .min(10)
  .max(128)
  .describe('10 to 128 characters. Must not contain the e-mail address or be a common password.')
export const AnyPassword = z.string().min(1).max(1000)
export const Token = z.string().min(1).max(1000)

export const userFields = {
  id: Id,
  email: z.string().describe('The e-mail address that this user signs in with.'),
  full_name: z.string().describe('The name that colleagues see.'),
  account_id: Id.describe('The account of this user. A user belongs to exactly one.'),
  account_name: z.string().describe('The name of that account.'),
  role: Role,
  team_id: Id.nullable().describe('The team, if any.'),
  team_role: TeamRole.nullable()
    .describe('The role in the team; null without a team.')
    .meta({ example: 'admin' }),
  is_super_admin: z.boolean().describe('Whether this user is staff of the platform.'),
  email_verified: z.boolean().describe('Whether the e-mail address is verified.'),
  must_change_password: z
    .boolean()
    .describe('Whether the user must change the password before anything else.'),
  timezone: z.string().describe('IANA time zone.'),
  created_at: Time,
  last_login_at: Time.nullable().describe('Time of the last sign-in.'),
}
export const User = z.strictObject(userFields).meta({ id: 'UserResponse', description: 'A user.' })
export type User = z.infer<typeof User>

export const Me = z
  .strictObject({
    ...userFields,
    guards: z
      .array(
        z
          .enum([
            'email_not_verified',
            'subscription_lapsed',
            'password_change_required',
            'mfa_setup_required',
          ])
          .meta({ id: 'AccountGuard' }),
      )
      .describe('The error codes of the guards that block most operations now.'),
  })
  .meta({ id: 'MeResponse' })

export const ProfileUpdate = z
  .strictObject({ full_name: Name.describe('The name that colleagues see.'), timezone: Timezone })
  .partial()
  .meta({ id: 'ProfileUpdate' })
export type ProfileUpdate = z.infer<typeof ProfileUpdate>

export const UserDeletion = z
  .strictObject({
    email: TypedEmail.describe('My e-mail address, as a confirmation.'),
    password: AnyPassword.optional().describe('My password; required if I have one.'),
  })
  .meta({ id: 'UserDeletion' })
export type UserDeletion = z.infer<typeof UserDeletion>

export const Register = z
  .strictObject({
    email: Email.describe('The e-mail address to sign in with.'),
    password: Password,
    full_name: Name.describe('The name that colleagues see.'),
    account_name: Name.optional().describe(
      'The name of the new account. By default it is derived from the full name.',
    ),
    invite_code: Token.optional().describe(
      'A platform invite code, required if registration is by invitation only. It is redeemed whenever it is sent.',
    ),
    account_invite_code: Token.optional().describe(
      "The code of an account's invite. The user joins that account; no account is created.",
    ),
  })
  .superRefine(({ email, password }, ctx) => {
    const weakness = findPasswordWeakness(password, email)
    if (weakness)
      ctx.addIssue({
        code: 'custom',
        path: ['password'],
        message: weakness,
        params: { type: 'weak_password' },
      })
  })
  .meta({ id: 'RegisterRequest' })
export type Register = z.infer<typeof Register>

export const Login = z
  .strictObject({
    email: TypedEmail.min(1).describe('The e-mail address.'),
    password: AnyPassword.describe('The password.'),
    device_token: Token.optional().describe(
      'The newest one of this device, to sign in while the address is locked.',
    ),
  })
  .meta({ id: 'LoginRequest' })
export type Login = z.infer<typeof Login>

const flags = Object.fromEntries(
  features.map((key) => [key, z.boolean().describe('Whether the feature is on.')]),
) as Record<Feature, z.ZodBoolean>
export const FeatureFlags = z
  .strictObject({
    flags: z
      .strictObject(flags)
      .describe(
        "Every feature. The account's override takes precedence over its plan; without either, the feature is off. Those that are AI alone are off in a service without an AI provider.",
      ),
  })
  .meta({ id: 'FeatureFlagsResponse' })

export const RefreshToken = z
  .strictObject({
    refresh_token: Token.describe('The newest refresh token of this sign-in.'),
  })
  .meta({ id: 'RefreshRequest' })

export const TokenPair = z
  .strictObject({
    access_token: Secret.describe('A JWT. Send it as `Authorization: Bearer`.').meta({
      example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    }),
    refresh_token: Secret.describe('An opaque token. It can be used once, within 30 days.'),
    token_type: z.literal('bearer').describe('Always `bearer`.'),
    expires_in: z.int().describe('Seconds until the access token expires.').meta({ example: 900 }),
    user: User,
    device_token: Secret.optional().describe(
      'After a sign-in with a password: proves later that this device was used before.',
    ),
  })
  .meta({ id: 'TokenResponse' })
