import { operation } from '../../../lib/http/operation.ts'
import { TokenPair } from '../auth/schemas.ts'
import * as schemas from './schemas.ts'
import * as oauth from './service.ts'

const before = 'people sign in before their account is known'

export const oauthOperations = [
  operation({
    id: 'identity.oauth.authorize',
    method: 'get',
    path: '/auth/oauth/{provider}/authorize',
    summary: 'Begin a sign-in at an identity provider',
    description: `404 for a provider that is not set up.
The flow lasts 10 minutes. Before the browser leaves, keep \`state\` where no other page can read it (\`sessionStorage\`); when it comes back to
\`/oauth/{provider}/callback\`, compare the \`state\` of the address with the kept one, refuse the callback when it differs or none was kept, and
forget it. Without that, a stranger's link could sign people in as the stranger.`,
    access: 'public',
    platform: before,
    writes: true,
    limit: '30/minute/ip',
    params: schemas.Provider,
    success: 200,
    returns: schemas.Authorization,
    errors: ['provider_error'],
    handle: ({ ctx, params }) => oauth.authorize(ctx, params.provider),
  }),

  operation({
    id: 'identity.oauth.completeSignIn',
    method: 'post',
    path: '/auth/oauth/{provider}/callback',
    summary: 'Finish a sign-in at an identity provider',
    description: `404 for a provider that is not set up, and for an invite that does not work (with its code). Who is known there signs in. Who
is new joins the account of \`account_invite_code\`, or gets an account of their own on trial; an address that has a user already is 409
\`email_taken\`, never linked. 400 says by \`code\` what is wrong: \`oauth_state_invalid\`, \`oauth_refused\`, \`oauth_email_missing\`,
\`oauth_email_unverified\`, \`invite_email_mismatch\`, and \`invite_code_required\` where newcomers need an invite. A provider that fails is 502 \`oauth_provider_error\`. Whatever the outcome, a state and
its code are used up.`,
    access: 'public',
    platform: before,
    limit: '10/minute/ip',
    params: schemas.Provider,
    body: schemas.Callback,
    success: 200,
    returns: TokenPair,
    errors: ['bad_request', 'unauthenticated', 'conflict', 'provider_error'],
    handle: ({ ctx, params, body }) => oauth.callback(ctx, params.provider, body),
  }),
]
