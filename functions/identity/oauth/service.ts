import { z } from 'zod'
import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import { type Identity, OidcFailure } from '../../../lib/auth/oidc.ts'
import type { Context } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as invites from '../../accounts/invites/service.ts'
import * as auth from '../auth/service.ts'
import * as queries from './queries.ts'
import type { Callback, Provider } from './schemas.ts'

type Visitor = Context<'post', 'public', string>

export async function authorize(ctx: Context<'get', 'public', string>, provider: Provider) {
  const [state, nonce, codeVerifier] = [randomToken(), randomToken(), randomToken()]
  const authorization_url = await configured(ctx, provider).authorizationUrl({ state, nonce, codeVerifier }).catch(explain)
  await queries.insertState(ctx.platform, { hash: await sha256Bytea(state), provider, codeVerifier, nonce })
  return { authorization_url, state }
}

export async function callback(ctx: Visitor, provider: Provider, { code, state, account_invite_code, invited_email }: Callback) {
  const identityProvider = configured(ctx, provider)
  const flow = await queries.claimState(ctx.platform, await sha256Bytea(state), provider)
  if (!flow) throw refused('oauth_state_invalid', 'This sign-in was finished, has run out or did not begin here; begin again')
  const { code_verifier: codeVerifier, nonce } = flow
  const identity = await identityProvider.redeem({ code, state, codeVerifier, nonce }).catch(explain)
  requireAddress(provider, identity, invited_email)
  return admit(ctx, provider, identity, account_invite_code)
}

/** Somebody known signs in, whatever they bring; somebody new arrives like one who registers. */
async function admit(ctx: Visitor, provider: Provider, identity: Identity, inviteCode: string | undefined) {
  const known = await signInKnown(ctx, provider, identity)
  if (known) return known
  const { data: email } = z.email().max(320).safeParse(identity.email)
  if (!email) throw refused('oauth_email_missing', 'The identity provider names no e-mail address for you')
  const proof = { passwordHash: null, emailVerified: identity.emailVerified, identity: { provider, subject: identity.subject } }
  const newcomer = { email, fullName: nameOf(identity, email), accountName: undefined, platformCode: undefined, inviteCode, proof }
  return auth.arrive(ctx, newcomer).catch(async (error: unknown) => {
    // The same person twice at once: who came second finds themselves there.
    const arrived = await signInKnown(ctx, provider, identity)
    if (arrived) return arrived
    throw error
  })
}

async function signInKnown(ctx: Visitor, provider: Provider, { subject }: Identity) {
  const userId = await queries.selectUserId(ctx.platform, provider, subject)
  if (!userId) return undefined
  const signedIn = await auth.signIn(ctx, userId, 'identity')
  if (!signedIn) throw new Problem('unauthenticated', 'This user was deactivated', { code: 'user_deactivated' })
  return signedIn
}

function configured({ identity }: Pick<Visitor, 'identity'>, provider: Provider) {
  const found = identity[provider]
  if (!found) throw new Problem('not_found', 'This identity provider is not set up here')
  return found
}

/** What google does not vouch for is refused. Microsoft never vouches: its address is only compared, and verified like one that was typed. */
function requireAddress(provider: Provider, { email, emailVerified }: Identity, invited: string | undefined): void {
  if (provider === 'google' && email && !emailVerified)
    throw refused('oauth_email_unverified', 'The identity provider has not verified your e-mail address')
  if (invited && invited.toLowerCase() !== email?.toLowerCase()) throw invites.otherAddress()
}

function nameOf({ name }: Identity, email: string): string {
  const given = (name ?? '').replace(/[\s\p{C}]+/gu, ' ').trim()
  return Array.from(given || email)
    .slice(0, 200)
    .join('')
}

function refused(code: string, detail: string): Problem {
  return new Problem('bad_request', detail, { code })
}

function explain(error: unknown): never {
  if (!(error instanceof OidcFailure)) throw error
  if (error.kind === 'refused') throw refused('oauth_refused', 'The identity provider did not confirm this sign-in; begin again')
  throw new Problem('provider_error', 'The identity provider does not answer as it should; try again', {
    code: 'oauth_provider_error',
    cause: error,
  })
}
