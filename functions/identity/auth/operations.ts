import { SignInResult } from '#functions/identity/sign-ins/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as auth from './service.ts'

const beforeSignIn = 'the account is not known before sign-in'

export const authOperations = [
  operation({
    id: 'identity.auth.register',
    route: 'POST /auth/register',
    summary: 'Register a user',
    description: `Creates an account on trial with the user as its admin. With \`account_invite_code\` the user joins the account of that invite instead;
the code proves the address, so a user who has it without having verified it is anonymised.
If registration is by invitation only, a platform invite code or an account's invite is required: 400 \`invite_code_required\`. An invalid
platform invite code always returns 400 \`invite_code_invalid\`. Registrations of one IPv6 network (/48) are limited to 10 a minute together.`,
    access: 'public',
    platform: beforeSignIn,
    limit: '5/minute/ip',
    transport: { siteLimit: '10/minute/ip' },
    strictLimit: 'sign_in',
    body: schemas.Register,
    returns: schemas.TokenPair,
    errors: [
      'email_taken',
      'invite_code_invalid',
      'invite_code_required',
      'invite_email_mismatch',
      'invite_invalid_or_expired_or_revoked',
      'seat_limit_reached',
      'sso_required',
    ],
    handle: ({ ctx, body }) => auth.register(ctx, body),
  }),

  operation({
    id: 'identity.auth.login',
    route: 'POST /auth/login',
    summary: 'Sign in with e-mail address and password',
    description: `Ten failed sign-ins within 15 minutes lock the address for 15 minutes: 429 \`sign_in_locked\`. A device with a \`device_token\` has five
attempts of its own. Ten failures a minute from one IP address refuse every sign-in from it for up to a minute: 429 without a code. A user with a second factor gets an \`mfa_token\` for the challenge instead of tokens.`,
    access: 'public',
    platform: beforeSignIn,
    limit: '10/minute/ip',
    transport: { countsFailures: true },
    strictLimit: 'sign_in',
    body: schemas.Login,
    success: 200,
    returns: SignInResult,
    errors: ['sign_in_locked', 'sso_required', 'unauthenticated'],
    handle: ({ ctx, body }) => auth.login(ctx, body),
  }),

  operation({
    id: 'identity.auth.refresh',
    route: 'POST /auth/refresh',
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token can be used once. Using it again more than 5 seconds later revokes the sign-in with all its tokens: 401 `refresh_token_reused`.',
    access: 'public',
    platform: beforeSignIn,
    limit: '30/minute/ip',
    transport: { countsFailures: true },
    strictLimit: 'sign_in',
    body: schemas.RefreshToken,
    success: 200,
    returns: schemas.TokenPair,
    errors: ['refresh_token_reused', 'unauthenticated'],
    handle: ({ ctx, body }) => auth.refresh(ctx, body.refresh_token),
  }),

  operation({
    id: 'identity.auth.logout',
    route: 'POST /auth/logout',
    summary: 'Sign out',
    description:
      'Revokes the sign-in that the refresh token belongs to. Returns 204 for an unknown token too.',
    access: 'public',
    platform: beforeSignIn,
    limit: 'public',
    strictLimit: 'sign_in',
    body: schemas.RefreshToken,
    success: 204,
    handle: ({ ctx, body }) => auth.logout(ctx, body.refresh_token),
  }),

  operation({
    id: 'identity.auth.getMe',
    route: 'GET /auth/me',
    summary: 'Get my profile',
    description: '`guards` lists the codes of the guards that block most operations for this user now.',
    access: 'user',
    skipGuards: 'all',
    limit: 'read',
    strictLimit: 'sign_in',
    returns: schemas.Me,
    handle: ({ ctx }) => auth.getMe(ctx),
  }),

  operation({
    id: 'identity.auth.updateMe',
    route: 'PATCH /auth/me',
    summary: 'Update my profile',
    description:
      'Changes the given fields. The e-mail address has an operation of its own, because it needs a confirmation.',
    access: 'user',
    skipGuards: 'all',
    limit: 'write',
    strictLimit: 'sign_in',
    body: schemas.ProfileUpdate,
    returns: schemas.User,
    handle: ({ ctx, body }) => auth.updateMe(ctx, body),
  }),

  operation({
    id: 'identity.auth.deleteMe',
    route: 'DELETE /auth/me',
    summary: 'Delete my user',
    description: `Ends my sign-ins and removes my name, address and credentials for good; colleagues see "Deleted user". What I created stays in
the account, and the address can be registered again. The last admin of an account cannot: 409 \`last_admin\`.`,
    access: 'user',
    skipGuards: 'all',
    stepUp: true,
    platform: 'the tenant role cannot delete credentials',
    limit: '5/minute',
    strictLimit: 'sign_in',
    body: schemas.UserDeletion,
    errors: ['last_admin', 'last_super_admin', 'wrong_password'],
    handle: ({ ctx, body }) => auth.deleteMe(ctx, body),
  }),

  operation({
    id: 'identity.auth.getFeatureFlags',
    route: 'GET /auth/me/feature-flags',
    summary: 'Get my feature flags',
    description:
      'What my account’s plan and this installation allow. An operation of a feature that is off answers 403 `feature_disabled`.',
    access: 'user',
    skipGuards: 'account',
    limit: 'read',
    strictLimit: 'sign_in',
    returns: schemas.FeatureFlags,
    handle: ({ ctx }) => auth.getFeatureFlags(ctx),
  }),
]
