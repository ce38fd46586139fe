import { z } from 'zod'
import { type Feature, features } from '../../../lib/features.ts'
import { Email, Id, Name, Role, TeamRole, Time, Timezone } from '../../../lib/http/fields.ts'

export const Password = z.string().min(10).max(128).describe('10 to 128 characters, without the address, not one of the commonest.')
export const AnyPassword = z.string().min(1).max(1000)
export const Token = z.string().min(1).max(1000)

export const exampleEmail = 'dana@northwind.example'
const exampleUser = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d14',
  email: exampleEmail,
  full_name: 'Dana Reyes',
  account_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10',
  account_name: 'Northwind IT',
  role: 'admin' as const,
  team_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d16',
  team_role: 'admin' as const,
  is_super_admin: false,
  email_verified: true,
  must_change_password: false,
  timezone: 'Europe/Berlin',
  created_at: '2026-11-21T09:30:00.000Z',
  last_login_at: '2026-11-21T09:30:00.000Z',
}

const userFields = {
  id: Id,
  email: z.string().describe('The address this person signs in with.'),
  full_name: z.string().describe('As colleagues see it.'),
  account_id: Id.describe('The one account this person belongs to.'),
  account_name: z.string().describe('The name of that account.'),
  role: Role,
  team_id: Id.nullable().describe('The team, if any.'),
  team_role: TeamRole.nullable().describe('What this person is in the team.'),
  is_super_admin: z.boolean().describe("Whether this is the platform's own staff."),
  email_verified: z.boolean().describe('Whether the address was confirmed.'),
  must_change_password: z.boolean().describe('Whether nothing else works until the password is changed.'),
  timezone: z.string().describe('IANA time zone.'),
  created_at: Time,
  last_login_at: Time.nullable().describe('The last sign-in.'),
}
export const User = z
  .strictObject(userFields)
  .meta({ id: 'UserResponse', description: 'A person with an account.', examples: [exampleUser] })
export type User = z.infer<typeof User>

export const Me = z
  .strictObject({
    ...userFields,
    guards: z
      .array(z.enum(['email_not_verified', 'subscription_lapsed', 'password_change_required']))
      .describe('What stands in the way of most operations at this moment, by the code they would answer.'),
  })
  .meta({ id: 'MeResponse', examples: [{ ...exampleUser, guards: [] }] })

export const ProfileUpdate = z
  .strictObject({ full_name: Name.describe('As colleagues see it.'), timezone: Timezone })
  .partial()
  .meta({ id: 'ProfileUpdate', examples: [{ full_name: 'Dana Reyes', timezone: 'Europe/Berlin' }] })
export type ProfileUpdate = z.infer<typeof ProfileUpdate>

export const Register = z
  .strictObject({
    email: Email.describe('The address to sign in with.'),
    password: Password,
    full_name: Name.describe('As colleagues see it.'),
    account_name: Name.optional().describe("The new account's name; made from the full name when not given."),
    invite_code: Token.optional().describe(
      "The platform's: needed where registering is by invitation only, and used wherever it is given.",
    ),
    account_invite_code: Token.optional().describe(
      "From an invite: joins that account with its role, without an account or a trial of one's own.",
    ),
  })
  .meta({
    id: 'RegisterRequest',
    examples: [
      { email: exampleUser.email, password: 'violet-tractor-81', full_name: exampleUser.full_name, account_name: exampleUser.account_name },
    ],
  })
export type Register = z.infer<typeof Register>

export const Login = z
  .strictObject({ email: z.string().min(1).max(320).describe('The address.'), password: AnyPassword.describe('The password.') })
  .meta({ id: 'LoginRequest', examples: [{ email: exampleUser.email, password: 'violet-tractor-81' }] })
export type Login = z.infer<typeof Login>

const flags = Object.fromEntries(features.map((key) => [key, z.boolean().describe('Whether it is on.')])) as Record<Feature, z.ZodBoolean>
export const FeatureFlags = z
  .strictObject({ flags: z.strictObject(flags).describe("Every feature: the account's own value, else its plan's, else off.") })
  .meta({
    id: 'FeatureFlagsResponse',
    examples: [{ flags: Object.fromEntries(features.map((key) => [key, true])) as Record<Feature, boolean> }],
  })

export const exampleToken = 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU'

export const RefreshToken = z
  .strictObject({ refresh_token: Token.describe('The newest refresh token of this sign-in.') })
  .meta({ id: 'RefreshRequest', examples: [{ refresh_token: exampleToken }] })

export const TokenPair = z
  .strictObject({
    access_token: z.string().describe('JWT; send it as `Authorization: Bearer`.'),
    refresh_token: z.string().describe('Opaque; works once, within 30 days.'),
    token_type: z.literal('bearer').describe('Always `bearer`.'),
    expires_in: z.int().describe('Seconds until the access token runs out.'),
    user: User,
  })
  .meta({
    id: 'TokenResponse',
    examples: [
      {
        access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
        refresh_token: exampleToken,
        token_type: 'bearer',
        expires_in: 900,
        user: exampleUser,
      },
    ],
  })
