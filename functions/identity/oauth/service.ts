import * as invites from '#functions/accounts/invites/service.ts'
import * as auth from '#functions/identity/auth/service.ts'
import * as signIns from '#functions/identity/sign-ins/service.ts'
import { Email } from '#http/fields.ts'
import type { Context } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { normaliseEmail } from '#rules/text/email-address.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import { type Identity, OidcFailure, type SignInFlow } from '#vendors/auth/oidc.ts'
import * as queries from './queries.ts'
import type { Callback, Provider } from './schemas.ts'

type PublicContext = Context<'post', 'public', string>

type FlowContext = Pick<PublicContext, 'identity' | 'platform'>

export async function authorize(ctx: Context<'get', 'public', string>, provider: Provider) {
  return startFlow(ctx, provider, null)
}

/**
 * Start a flow at a provider. With a sign-in, only that one completes it, and links the identity; without, it
 * signs in.
 */
export async function startFlow(ctx: FlowContext, provider: Provider, signInId: string | null) {
  const identityProvider = requireProvider(ctx, provider)
  return beginFlow(ctx, { provider, connectionId: null, signInId }, (flow) =>
    identityProvider.authorizationUrl(flow),
  )
}

type FlowTarget = Omit<queries.State, 'hash'>

/** Store a flow to a target, and return where it goes and its state. */
export async function beginFlow(
  { platform }: Pick<FlowContext, 'platform'>,
  target: FlowTarget,
  buildUrl: (flow: SignInFlow) => Promise<string>,
) {
  const [state, nonce, codeVerifier] = [randomToken(), randomToken(), randomToken()]
  const authorization_url = await buildUrl({ state, nonce, codeVerifier }).catch(throwProblem)
  await queries.insertState(platform, { hash: await sha256Bytea(state), ...target, codeVerifier, nonce })
  return { authorization_url, state }
}

/** Use the state of a flow to this target, and redeem its code. */
export async function endFlow<I>(
  { platform }: Pick<FlowContext, 'platform'>,
  target: FlowTarget,
  { code, state }: Pick<Callback, 'code' | 'state'>,
  redeemCode: (flow: SignInFlow & { code: string }) => Promise<I>,
): Promise<I> {
  const flow = await queries.claimState(platform, { hash: await sha256Bytea(state), ...target })
  if (!flow) throw new Problem('oauth_state_invalid')
  const { code_verifier: codeVerifier, nonce } = flow
  return redeemCode({ code, state, codeVerifier, nonce }).catch(throwProblem)
}

export async function completeSignIn(ctx: PublicContext, provider: Provider, callback: Callback) {
  const { account_invite_code, invited_email } = callback
  const identity = await redeem(ctx, provider, callback, null)
  requireAcceptedAddress(provider, identity, invited_email)
  return signInOrCreateUser(ctx, provider, identity, account_invite_code)
}

/**
 * Use the state of a flow that was started for this sign-in, or for none, and return the identity of the
 * code.
 */
export async function redeem(
  ctx: FlowContext,
  provider: Provider,
  callback: Pick<Callback, 'code' | 'state'>,
  signInId: string | null,
): Promise<Identity> {
  const identityProvider = requireProvider(ctx, provider)
  return endFlow(ctx, { provider, connectionId: null, signInId }, callback, (flow) =>
    identityProvider.redeem(flow),
  )
}

/** Sign in the user of this identity, or create one. The invite code is ignored for an active user. */
async function signInOrCreateUser(
  ctx: PublicContext,
  provider: Provider,
  identity: Identity,
  inviteCode: string | undefined,
) {
  const signIn = () => signInExistingUser(ctx, provider, identity, inviteCode !== undefined)
  const tokens = await signIn()
  if (tokens) return tokens
  const { data: email } = Email.safeParse(identity.email)
  if (!email) throw new Problem('oauth_email_missing')
  const credentials = {
    passwordHash: null,
    emailVerified: identity.emailVerified,
    identity: { provider, subject: identity.subject },
  }
  const fullName = buildFullName(identity, email)
  const registration = {
    email,
    fullName,
    accountName: undefined,
    platformCode: undefined,
    inviteCode,
    credentials,
  }
  return auth.createUser(ctx, registration).catch(async (error: unknown) => {
    // A concurrent request of the same person may have created the user first.
    const concurrentTokens = await signIn()
    if (concurrentTokens) return concurrentTokens
    throw error
  })
}

/** Return undefined if the identity has no user, or a deactivated one who `joins` another account. */
async function signInExistingUser(
  ctx: PublicContext,
  provider: Provider,
  { subject }: Identity,
  joins: boolean,
) {
  const userId = await queries.selectUserId(ctx.platform, provider, subject)
  if (!userId) return undefined
  const result = await signIns.open(ctx, userId, { kind: 'identity' })
  if (!result && !joins) throw new Problem('user_deactivated')
  return result
}

function requireProvider({ identity: providers }: Pick<PublicContext, 'identity'>, provider: Provider) {
  const identityProvider = providers[provider]
  if (!identityProvider) throw new Problem('not_found', 'This identity provider is not configured')
  return identityProvider
}

/**
 * Refuse an address that Google has not verified, and an address other than the invited one. Microsoft never
 * verifies addresses, so the user verifies that address by e-mail, like one typed into the registration form.
 */
function requireAcceptedAddress(
  provider: Provider,
  { email, emailVerified }: Identity,
  invitedEmail: string | undefined,
): void {
  if (provider === 'google' && email && !emailVerified) throw new Problem('oauth_email_unverified')
  const toComparable = (address: string) => normaliseEmail(address).toLowerCase()
  if (invitedEmail && toComparable(invitedEmail) !== toComparable(email ?? '')) throw invites.emailMismatch()
}

/**
 * Return the name at the provider without control characters, or the address if no name is left. Truncate it
 * to 200 characters.
 */
export function buildFullName({ name }: Pick<Identity, 'name'>, email: string): string {
  const cleanName = (name ?? '').replace(/[\s\p{C}]+/gu, ' ').trim()
  return Array.from(cleanName || email)
    .slice(0, 200)
    .join('')
}

function throwProblem(error: unknown): never {
  if (!(error instanceof OidcFailure)) throw error
  if (error.kind === 'refused') throw new Problem('oauth_refused')
  throw new Problem('oauth_provider_error', undefined, { cause: error })
}
