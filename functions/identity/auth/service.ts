import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import { accessTokenSeconds } from '../../../lib/auth/tokens.ts'
import { inTransaction } from '../../../lib/db/scope.ts'
import { getViolatedConstraint } from '../../../lib/db/sqlstate.ts'
import type { Feature } from '../../../lib/features.ts'
import type { Context, ReadContext } from '../../../lib/http/operation.ts'
import { enqueueDelivery } from '../../../lib/outbox/deliveries.ts'
import { enqueueEvent } from '../../../lib/outbox/events.ts'
import { Problem } from '../../../lib/problem.ts'
import * as invites from '../../accounts/invites/service.ts'
import { requireStrongPassword } from '../credentials/service.ts'
import * as signIns from '../sign-ins/service.ts'
import * as queries from './queries.ts'
import type { Login, ProfileUpdate, Register } from './schemas.ts'

type PublicContext = Context<'post', 'public', string>

const lockSeconds = 900

export async function register(
  ctx: PublicContext,
  { email, password, full_name, account_name, invite_code, account_invite_code }: Register,
) {
  requireStrongPassword(password, email, 'password')
  const credentials = { passwordHash: await ctx.passwords.hash(password), emailVerified: false, identity: null }
  return createUser(ctx, {
    email,
    fullName: full_name,
    accountName: account_name,
    platformCode: invite_code,
    inviteCode: account_invite_code,
    credentials,
  })
}

/** A user to create, with a password or with an identity at a provider. */
export interface Registration {
  email: string
  fullName: string
  accountName: string | undefined
  /** The platform invite code, which permits registration by invitation only. */
  platformCode: string | undefined
  /** The code of an account's invite. */
  inviteCode: string | undefined
  credentials: queries.Credentials
}

/** Create a user in a new account on trial, or in the account of an invite. Return the tokens of the first sign-in. */
export async function createUser(ctx: PublicContext, registration: Registration) {
  const { email, fullName, accountName, platformCode, inviteCode, credentials } = registration
  if (!platformCode && !inviteCode) requireOpenRegistration(ctx)
  const refreshToken = randomToken()
  const newUser = { email, fullName, ...credentials, ...(await newSignIn(ctx, refreshToken)) }
  const codeHash = platformCode ? await sha256Bytea(platformCode) : null
  if (inviteCode) return tokenPair(ctx, await joinAccount(ctx, newUser, inviteCode, codeHash), refreshToken)
  const newAdmin = { ...newUser, accountName: accountName ?? defaultAccountName(fullName) }
  const inserted = await queries.insertAccount.first(ctx.platform, newAdmin, codeHash).catch(throwEmailTaken(credentials))
  if (!inserted) throw new Problem('invite_code_invalid')
  const { delivery_id, ...signedInUser } = inserted
  if (delivery_id) enqueueDelivery(ctx.platform, delivery_id)
  return tokenPair(ctx, signedInUser, refreshToken)
}

function requireOpenRegistration({ config }: PublicContext): void {
  if (config.INVITE_REQUIRED && !config.SELF_SERVE_ENABLED) throw new Problem('invite_code_required')
}

function defaultAccountName(fullName: string): string {
  return `${Array.from(fullName).slice(0, 190).join('')}'s team`
}

/** Claim the invite, insert the user and notify the inviter in one transaction. */
async function joinAccount(ctx: PublicContext, newUser: queries.NewUser, inviteCode: string, platformCodeHash: string | null) {
  return inTransaction(ctx.platform, async (tx) => {
    if (platformCodeHash && !(await queries.redeemCode.first(tx, platformCodeHash))) throw new Problem('invite_code_invalid')
    const invite = await invites.claim(tx, inviteCode, newUser.email)
    const signedInUser = await queries.insertMember.one(tx, invite, newUser).catch(throwEmailTaken(newUser))
    if (!invite.invited_by) return signedInUser
    await queries.setTenantContext.run(tx, invite.account_id, signedInUser.id)
    await enqueueEvent(tx, {
      key: 'member.joined',
      actorId: signedInUser.id,
      teamId: invite.team_id,
      memberName: newUser.fullName,
      inviterId: invite.invited_by,
    })
    return signedInUser
  })
}

/** Create a `catch` handler that turns a duplicate address into 409 `email_taken`. */
function throwEmailTaken({ identity }: queries.Credentials) {
  const detail = identity ? 'This address already belongs to a user; sign in as you did before' : undefined
  return (error: unknown): never => {
    throw getViolatedConstraint(error) === 'users_email' ? new Problem('email_taken', detail) : error
  }
}

export async function login(ctx: PublicContext, { email, password }: Login) {
  const credentials = await queries.selectCredentials.first(ctx.platform, email)
  if (credentials?.lock_seconds) throw signInLocked(credentials.lock_seconds)
  // Runs even without a hash, so that the response time does not reveal whether a user has the address.
  const isCorrect = await ctx.passwords.verify(credentials?.hash ?? undefined, password)
  if (!isCorrect || !credentials?.user_id) {
    await queries.recordLoginFailure.run(ctx.platform, email, ctx.ip)
    throw new Problem('unauthenticated', 'Incorrect email or password')
  }
  const tokens = await signIn(ctx, credentials.user_id, 'password')
  if (!tokens) throw signInLocked(lockSeconds)
  return tokens
}

/** Sign an active user in. Return undefined for a deactivated user, and for a password while the address is locked. */
export async function signIn(ctx: PublicContext, userId: string, method: 'password' | 'identity') {
  const refreshToken = randomToken()
  const signedInUser = await queries.insertSignIn.first(ctx.platform, userId, method, await newSignIn(ctx, refreshToken))
  return signedInUser && tokenPair(ctx, signedInUser, refreshToken)
}

export async function refresh(ctx: PublicContext, token: string) {
  const nextToken = randomToken()
  const hash = await sha256Bytea(token)
  const signedInUser = await queries.rotateRefreshToken.first(ctx.platform, hash, await sha256Bytea(nextToken))
  if (signedInUser) return tokenPair(ctx, signedInUser, nextToken)
  // Reuse within 5 s comes from another tab, which must stay signed in. Later reuse may mean that the token was stolen.
  const isReused = await signIns.revokeByReusedToken(ctx.platform, hash)
  if (isReused) throw new Problem('refresh_token_reused')
  throw new Problem('unauthenticated', 'The refresh token is unknown or expired; sign in again')
}

export async function logout(ctx: PublicContext, token: string) {
  await signIns.revokeByToken(ctx.platform, token)
}

export async function getMe({ db, caller }: Pick<ReadContext, 'db' | 'caller'>) {
  const { is_verification_overdue, is_lapsed, ...user } = await queries.selectMe.one(db, caller.userId)
  const guards: ('email_not_verified' | 'subscription_lapsed' | 'password_change_required')[] = []
  if (is_verification_overdue) guards.push('email_not_verified')
  if (is_lapsed) guards.push('subscription_lapsed')
  if (user.must_change_password) guards.push('password_change_required')
  return { ...user, guards }
}

export async function getFeatureFlags({ db }: ReadContext) {
  const rows = await queries.selectFeatures(db)
  return { flags: Object.fromEntries(rows.map(({ key, enabled }) => [key, enabled])) as Record<Feature, boolean> }
}

export async function updateMe({ db, caller }: Context<'patch', 'user', undefined>, changes: ProfileUpdate) {
  if (Object.keys(changes).length > 0) await queries.updateProfile(db, caller.userId, changes)
  const { guards: _, ...user } = await getMe({ db, caller })
  return user
}

function signInLocked(seconds: number): Problem {
  return new Problem('sign_in_locked', undefined, { headers: { 'retry-after': String(seconds) } })
}

async function newSignIn({ userAgent, ip }: PublicContext, refreshToken: string) {
  return { refreshHash: await sha256Bytea(refreshToken), userAgent, ip }
}

async function tokenPair({ tokens }: PublicContext, { sign_in_id, ...user }: queries.SignedInUser, refresh_token: string) {
  const access_token = await tokens.sign({ userId: user.id, accountId: user.account_id, signInId: sign_in_id })
  return { access_token, refresh_token, token_type: 'bearer' as const, expires_in: accessTokenSeconds, user }
}
