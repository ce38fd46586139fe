import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import { hashPassword, verifyPassword } from '../../../lib/auth/passwords.ts'
import { accessTokenSeconds } from '../../../lib/auth/tokens.ts'
import { violated } from '../../../lib/db/sqlstate.ts'
import { emit, publishDeliveries } from '../../../lib/events/outbox.ts'
import type { Feature } from '../../../lib/features.ts'
import type { Context, Reader } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as invites from '../../accounts/invites/service.ts'
import { requireStrong } from '../credentials/service.ts'
import * as devices from '../sign-ins/service.ts'
import * as queries from './queries.ts'
import type { Login, ProfileUpdate, Register } from './schemas.ts'

type Visitor = Context<'post', 'public', string>

export async function register(ctx: Visitor, { email, password, full_name, account_name, invite_code, account_invite_code }: Register) {
  requireStrong(password, email, 'password')
  const proof = { passwordHash: await hashPassword(password), emailVerified: false, identity: null }
  return arrive(ctx, {
    email,
    fullName: full_name,
    accountName: account_name,
    platformCode: invite_code,
    inviteCode: account_invite_code,
    proof,
  })
}

/** Whoever has no user yet, and how they will prove who they are: by a password or by an identity at a provider. */
export interface Newcomer {
  email: string
  fullName: string
  accountName: string | undefined
  /** Lets somebody register while the service is not open to everybody. */
  platformCode: string | undefined
  /** Of an account's invite. */
  inviteCode: string | undefined
  proof: queries.Proof
}

/** The one way in for newcomers, however they prove who they are: an account of their own on trial, or another's by its invite. */
export async function arrive(ctx: Visitor, { email, fullName, accountName, platformCode, inviteCode, proof }: Newcomer) {
  if (!platformCode && !inviteCode) requireOpen(ctx)
  const refresh = randomToken()
  const person = { email, fullName, ...proof, ...(await device(ctx, refresh)) }
  const codeHash = platformCode ? await sha256Bytea(platformCode) : null
  if (inviteCode) return tokenPair(ctx, await join(ctx, person, inviteCode, codeHash), refresh)
  const named = { ...person, accountName: accountName ?? `${Array.from(fullName).slice(0, 190).join('')}'s team` }
  const made = await queries.insertAccount(ctx.platform, named, codeHash).catch(explainTaken(person))
  const { delivery_id, ...signedIn } = made ?? wrongCode()
  if (delivery_id) ctx.after(() => publishDeliveries(ctx.queue, [delivery_id]))
  return tokenPair(ctx, signedIn, refresh)
}

/** Without any code: only where everybody may, or nobody was asked for one. */
function requireOpen({ config: { SELF_SERVE_ENABLED, INVITE_REQUIRED } }: Visitor): void {
  if (SELF_SERVE_ENABLED || !INVITE_REQUIRED) return
  throw new Problem('bad_request', 'Registering needs an invite code', { code: 'invite_code_required' })
}

function wrongCode(): never {
  throw new Problem('bad_request', 'This invite code is wrong, used up or has run out', { code: 'invite_code_invalid' })
}

type Person = Parameters<typeof queries.insertMember>[2]

/** Joins by an account's invite: it is used, the newcomer is there and the inviter is told in one transaction, or nothing is. */
async function join(ctx: Visitor, person: Person, code: string, platformCodeHash: string | null) {
  const { signedIn, deliveries } = await ctx.platform.transaction().execute(async (tx) => {
    if (platformCodeHash && !(await queries.redeemCode(tx, platformCodeHash))) wrongCode()
    const invite = await invites.claim(tx, code, person.email)
    const signedIn = await queries.insertMember(tx, invite, person).catch(explainTaken(person))
    if (!invite.invited_by) return { signedIn, deliveries: [] }
    await queries.enterAccount(tx, invite.account_id, signedIn.id)
    const about = { memberName: person.fullName, inviterId: invite.invited_by }
    return { signedIn, deliveries: await emit(tx, { key: 'member.joined', actorId: signedIn.id, teamId: invite.team_id, ...about }) }
  })
  ctx.after(() => publishDeliveries(ctx.queue, deliveries))
  return signedIn
}

function explainTaken({ identity }: queries.Proof) {
  const detail = identity ? 'This address has a user already: sign in as you did before' : 'This address is already taken'
  return (error: unknown): never => {
    throw violated(error) === 'users_email' ? new Problem('conflict', detail, { code: 'email_taken' }) : error
  }
}

export async function login(ctx: Visitor, { email, password }: Login) {
  const known = await queries.selectCredentials(ctx.platform, email)
  if (known?.locked_for) throw locked(known.locked_for)
  const right = await verifyPassword(known?.hash ?? undefined, password)
  if (!right || !known?.user_id) {
    await queries.recordLoginFailure(ctx.platform, email, ctx.ip)
    throw new Problem('unauthenticated', 'Incorrect email or password')
  }
  return (await signIn(ctx, known.user_id, 'password')) ?? raise(locked(900))
}

/** Opens a sign-in for an active user; a lock against guessed passwords stops passwords alone. Undefined when it is not to be. */
export async function signIn(ctx: Visitor, userId: string, by: 'password' | 'identity') {
  const refresh = randomToken()
  const signedIn = await queries.insertSignIn(ctx.platform, userId, by, await device(ctx, refresh))
  return signedIn && tokenPair(ctx, signedIn, refresh)
}

export async function refresh(ctx: Visitor, token: string) {
  const next = randomToken()
  const hash = await sha256Bytea(token)
  const signedIn = await queries.rotateRefreshToken(ctx.platform, hash, await sha256Bytea(next))
  if (signedIn) return tokenPair(ctx, signedIn, next)
  // Two tabs that refresh at once must not sign each other out; later than that, somebody else has the token.
  const reused = await devices.endReused(ctx.platform, hash)
  throw new Problem('unauthenticated', 'The refresh token does not work', reused ? { code: 'refresh_token_reused' } : {})
}

export async function logout(ctx: Visitor, token: string) {
  await devices.endByToken(ctx.platform, token)
}

export async function me({ db, caller }: Pick<Reader, 'db' | 'caller'>) {
  const { unverified, lapsed, ...user } = await queries.selectMe(db, caller.userId)
  const guards: ('email_not_verified' | 'subscription_lapsed' | 'password_change_required')[] = []
  if (unverified) guards.push('email_not_verified')
  if (lapsed) guards.push('subscription_lapsed')
  if (user.must_change_password) guards.push('password_change_required')
  return { ...user, guards }
}

export async function featureFlags({ db }: Reader) {
  const rows = await queries.selectFeatures(db)
  return { flags: Object.fromEntries(rows.map(({ key, enabled }) => [key, enabled])) as Record<Feature, boolean> }
}

export async function updateMe({ db, caller }: Context<'patch', 'user', undefined>, change: ProfileUpdate) {
  if (Object.keys(change).length > 0) await queries.updateProfile(db, caller.userId, change)
  const { guards: _, ...user } = await me({ db, caller })
  return user
}

function locked(seconds: number): Problem {
  const headers = { 'retry-after': String(seconds) }
  return new Problem('rate_limited', 'Too many failed sign-ins for this address; try again later', { headers, code: 'sign_in_locked' })
}

async function device({ userAgent, ip }: Visitor, refresh: string) {
  return { refreshHash: await sha256Bytea(refresh), userAgent, ip }
}

async function tokenPair({ tokens }: Visitor, { sign_in_id, ...user }: queries.SignedIn, refresh_token: string) {
  const access_token = await tokens.sign({ userId: user.id, accountId: user.account_id, signInId: sign_in_id })
  return { access_token, refresh_token, token_type: 'bearer' as const, expires_in: accessTokenSeconds, user }
}

function raise(problem: Problem): never {
  throw problem
}
