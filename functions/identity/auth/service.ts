import { enterAccount, inAccount } from '#db/enter-account.ts'
import { inTransaction } from '#db/scope.ts'
import { getSqlState, getViolatedConstraint } from '#db/sqlstate.ts'
import * as invites from '#functions/accounts/invites/service.ts'
import { getOwnCredentials, requireOwnPassword } from '#functions/identity/credentials/service.ts'
import * as signIns from '#functions/identity/sign-ins/service.ts'
import { announceLeaver } from '#functions/oncall/shift-notices/service.ts'
import type { Context, ReadContext } from '#http/operation.ts'
import { invalidField, Problem } from '#problem.ts'
import { aiFeatures, type Feature } from '#rules/features.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import { isOutdatedHash } from '#vendors/auth/passwords.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import { enqueueEvent } from '#work/events.ts'
import * as queries from './queries.ts'
import type { Login, ProfileUpdate, Register, UserDeletion } from './schemas.ts'

type PublicContext = Context<'post', 'public', string>

export async function register(
  ctx: PublicContext,
  { email, password, full_name, account_name, invite_code, account_invite_code }: Register,
) {
  const credentials = {
    passwordHash: await ctx.passwords.hash(password),
    emailVerified: false,
    identity: null,
  }
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

/**
 * Create a user in a new account on trial, or in the account of an invite. Return the tokens of the first
 * sign-in.
 */
export async function createUser(ctx: PublicContext, registration: Registration) {
  const { email, fullName, accountName, platformCode, inviteCode, credentials } = registration
  if (!platformCode && !inviteCode) requireOpenRegistration(ctx)
  const refreshToken = randomToken()
  const newUser = { email, fullName, ...credentials, ...(await signIns.describe(ctx, refreshToken)) }
  const device_generation = credentials.passwordHash ? 0 : null
  const codeHash = platformCode ? await sha256Bytea(platformCode) : null
  if (inviteCode) {
    const member = await joinAccount(ctx, newUser, inviteCode, codeHash)
    return signIns.issueTokens(ctx, { ...member, device_generation }, refreshToken)
  }
  const newAdmin = { ...newUser, accountName: accountName ?? defaultAccountName(fullName) }
  const inserted = await queries.insertAccount
    .first(ctx.platform, newAdmin, codeHash)
    .catch(throwEmailTaken(credentials))
  if (!inserted) throw new Problem('invite_code_invalid')
  const { delivery_id, ...signedInUser } = inserted
  if (delivery_id) enqueueDelivery(ctx.platform, delivery_id)
  return signIns.issueTokens(ctx, { ...signedInUser, device_generation }, refreshToken)
}

function requireOpenRegistration({ config }: PublicContext): void {
  if (config.INVITE_REQUIRED && !config.SELF_SERVE_ENABLED) throw new Problem('invite_code_required')
}

function defaultAccountName(fullName: string): string {
  return `${Array.from(fullName).slice(0, 190).join('')}'s team`
}

/** Claim the invite, insert the user and notify the inviter in one transaction. */
async function joinAccount(
  ctx: PublicContext,
  newUser: queries.NewUser,
  inviteCode: string,
  platformCodeHash: string | null,
) {
  return inTransaction(ctx.platform, async (tx) => {
    if (platformCodeHash && !(await queries.redeemCode.first(tx, platformCodeHash)))
      throw new Problem('invite_code_invalid')
    const invite = await invites.claim(tx, inviteCode, newUser.email)
    const signedInUser = await queries.insertMember.one(tx, invite, newUser).catch(throwEmailTaken(newUser))
    if (!invite.invited_by) return signedInUser
    await enterAccount.run(tx, invite.account_id, signedInUser.id)
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

/**
 * Sign in with a password. The attempt is counted before the password is verified, so parallel guesses do not
 * exceed the limit.
 */
export async function login(ctx: PublicContext, { email, password, device_token }: Login) {
  const device = device_token ? await ctx.deviceTokens.verify(device_token) : null
  const attempt = await queries.countAttempt.one(ctx.platform, email, device, ctx.ip)
  // The same for a right and a wrong password, and for known and unknown addresses: nothing is verified.
  if (attempt.lock_seconds) throw signInLocked(attempt.lock_seconds)
  // Runs even without a hash, so that the response time does not reveal whether a user has the address.
  const isCorrect = await ctx.passwords.verify(
    attempt.hash ?? undefined,
    password,
    attempt.is_known ? 'known' : 'stranger',
  )
  const { user_id: userId, hash } = attempt
  if (!isCorrect || !userId || !hash) {
    if (attempt.is_last) await queries.insertLockAudit.run(ctx.platform, email, ctx.ip)
    throw wrongCredentials()
  }
  const verified = { hash, deviceId: attempt.is_known_device ? (device?.id ?? null) : null }
  const result = await signIns.open(ctx, userId, { kind: 'password', password: verified })
  if (!result) throw wrongCredentials()
  if (isOutdatedHash(hash)) ctx.afterCommit(() => rehash(ctx, userId, hash, password))
  return result
}

/**
 * Hash the password with the current cost. Not part of the sign-in, because a failure only postpones it to
 * the next one.
 */
async function rehash(
  { passwords, platform }: PublicContext,
  userId: string,
  oldHash: string,
  password: string,
): Promise<void> {
  await queries.rehashPassword.run(platform, userId, oldHash, await passwords.hash(password, 'known'))
}

export async function refresh(ctx: PublicContext, token: string) {
  const nextToken = randomToken()
  const hash = await sha256Bytea(token)
  const signedInUser = await queries.rotateRefreshToken.first(
    ctx.platform,
    hash,
    await sha256Bytea(nextToken),
  )
  if (signedInUser) return signIns.issueTokens(ctx, signedInUser, nextToken)
  // Reuse within 5 s comes from another tab, which must stay signed in. Later reuse may mean that the token
  // was stolen.
  const isReused = await signIns.revokeByReusedToken(ctx.platform, hash)
  if (isReused) throw new Problem('refresh_token_reused')
  throw new Problem('unauthenticated', 'The refresh token is unknown or expired; sign in again')
}

export async function logout(ctx: PublicContext, token: string) {
  await signIns.revokeByToken(ctx.platform, token)
}

export async function getMe({ db, caller }: Pick<ReadContext, 'db' | 'caller'>) {
  const { is_verification_overdue, is_lapsed, is_mfa_missing, ...user } = await queries.selectMe.one(
    db,
    caller.userId,
  )
  const guards: (
    | 'email_not_verified'
    | 'subscription_lapsed'
    | 'password_change_required'
    | 'mfa_setup_required'
  )[] = []
  if (is_verification_overdue) guards.push('email_not_verified')
  if (is_lapsed) guards.push('subscription_lapsed')
  if (user.must_change_password) guards.push('password_change_required')
  if (is_mfa_missing) guards.push('mfa_setup_required')
  return { ...user, guards }
}

export async function getFeatureFlags({ db, ai }: ReadContext) {
  const rows = await queries.selectFeatures(db)
  const flags = rows.map(({ key, enabled }) => [key, enabled && (ai.isConfigured || !aiFeatures.has(key))])
  return { flags: Object.fromEntries(flags) as Record<Feature, boolean> }
}

export async function updateMe({ db, caller }: Context<'patch', 'user', undefined>, changes: ProfileUpdate) {
  if (Object.keys(changes).length > 0) await queries.updateProfile(db, caller.userId, changes)
  const { guards: _, ...user } = await getMe({ db, caller })
  return user
}

/**
 * Anonymise the caller. The streams of the caller end, and other clients of the account no longer get earlier
 * events with the name.
 */
export async function deleteMe(ctx: Context<'delete', 'user', string>, { email, password }: UserDeletion) {
  const { userId, accountId } = ctx.caller
  const user = await getOwnCredentials(ctx)
  if (user.email.toLowerCase() !== email.toLowerCase())
    throw invalidField(['body', 'email'], 'must be your e-mail address', 'mismatch')
  await requireOwnPassword(ctx, user.hash, password)
  await inAccount(ctx.platform, ctx.caller, (db) =>
    announceLeaver(db, null, (inner) => queries.eraseUser.run(inner, userId)),
  ).catch(throwLastAdmin)
  ctx.afterCommit(() => ctx.realtime.forget(accountId))
}

function throwLastAdmin(error: unknown): never {
  if (getSqlState(error) !== 'SF4LA') throw error
  throw new Problem(
    'last_admin',
    'You are the last admin. Make a colleague an admin first, or delete the account',
    { cause: error },
  )
}

function signInLocked(seconds: number): Problem {
  return new Problem('sign_in_locked', undefined, { headers: { 'retry-after': String(seconds) } })
}

function wrongCredentials(): Problem {
  return new Problem('unauthenticated', 'Incorrect email or password')
}
