import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as auth from './service.ts'

const before = 'people sign in before their account is known'

export const authOperations = [
  operation({
    id: 'identity.auth.register',
    method: 'post',
    path: '/auth/register',
    summary: 'Register: a new user with an account of their own on trial, or a new member by invite',
    description:
      "While self-serve is off and the invite requirement on, a platform code or an account's invite is needed: 400 `invite_code_required`. A code that does not work is 400 `invite_code_invalid` in any case.",
    access: 'public',
    platform: before,
    limit: '5/minute/ip',
    body: schemas.Register,
    success: 201,
    returns: schemas.TokenPair,
    errors: ['conflict', 'bad_request', 'not_found'],
    handle: ({ ctx, body }) => auth.register(ctx, body),
  }),

  operation({
    id: 'identity.auth.login',
    method: 'post',
    path: '/auth/login',
    summary: 'Sign in with address and password',
    description: 'Ten failures in 15 minutes lock an address for 15 minutes.',
    access: 'public',
    platform: before,
    limit: '10/minute/ip',
    body: schemas.Login,
    success: 200,
    returns: schemas.TokenPair,
    errors: ['unauthenticated'],
    handle: ({ ctx, body }) => auth.login(ctx, body),
  }),

  operation({
    id: 'identity.auth.refresh',
    method: 'post',
    path: '/auth/refresh',
    summary: 'Exchange a refresh token for a new pair, once',
    description: 'A used token presented again after 5 seconds ends the whole sign-in (`refresh_token_reused`).',
    access: 'public',
    platform: before,
    limit: '30/minute/ip',
    body: schemas.RefreshToken,
    success: 200,
    returns: schemas.TokenPair,
    errors: ['unauthenticated'],
    handle: ({ ctx, body }) => auth.refresh(ctx, body.refresh_token),
  }),

  operation({
    id: 'identity.auth.logout',
    method: 'post',
    path: '/auth/logout',
    summary: "Sign out: end a refresh token's family",
    access: 'public',
    platform: before,
    limit: '30/minute/ip',
    body: schemas.RefreshToken,
    success: 204,
    handle: ({ ctx, body }) => auth.logout(ctx, body.refresh_token),
  }),

  operation({
    id: 'identity.auth.getMe',
    method: 'get',
    path: '/auth/me',
    summary: 'Who I am, and which guards stand in my way',
    access: 'user',
    past: 'password',
    limit: 'read',
    success: 200,
    returns: schemas.Me,
    handle: ({ ctx }) => auth.me(ctx),
  }),

  operation({
    id: 'identity.auth.updateMe',
    method: 'patch',
    path: '/auth/me',
    summary: 'Change my profile',
    access: 'user',
    past: 'password',
    limit: 'write',
    body: schemas.ProfileUpdate,
    success: 200,
    returns: schemas.User,
    handle: ({ ctx, body }) => auth.updateMe(ctx, body),
  }),

  operation({
    id: 'identity.auth.getFeatureFlags',
    method: 'get',
    path: '/auth/me/feature-flags',
    summary: 'Which features are on for me',
    access: 'user',
    past: 'guards',
    limit: 'read',
    success: 200,
    returns: schemas.FeatureFlags,
    handle: ({ ctx }) => auth.featureFlags(ctx),
  }),
]
