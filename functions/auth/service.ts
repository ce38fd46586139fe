import { randomToken, sha256Bytea } from '../../lib/auth/hash.ts'
import { hashPassword, verifyPassword, weakness } from '../../lib/auth/passwords.ts'
import { accessTokenSeconds } from '../../lib/auth/tokens.ts'
import { violated } from '../../lib/db/sqlstate.ts'
import { emit, publishDeliveries } from '../../lib/events/outbox.ts'
import type { Feature } from '../../lib/features.ts'
import type { Context, Reader, Writer } from '../../lib/http/operation.ts'
import { invalid, Problem } from '../../lib/http/problem.ts'
import * as invites from '../invites/service.ts'
import * as queries from './queries.ts'
import type { ChangePassword, Login, ProfileUpdate, Register, ResetPassword } from './schemas.ts'

type Visitor = Context<'post', 'public', string>
type Person = Context<'post', 'user', string>

export async function register(ctx: Visitor, { email, password, full_name, account_name, invite_code, account_invite_code }: Register) {
  requireStrong(password, email, 'password')
  if (!invite_code && !account_invite_code) requireOpen(ctx)
  const refresh = randomToken()
  const person = { email, fullName: full_name, passwordHash: await hashPassword(password), ...(await device(ctx, refresh)) }
  const codeHash = invite_code ? await sha256Bytea(invite_code) : null
  if (account_invite_code) return tokenPair(ctx, await join(ctx, person, account_invite_code, codeHash), refresh)
  const accountName = account_name ?? `${full_name.slice(0, 190)}'s team`
  const made = await queries.insertAccount(ctx.platform, { ...person, accountName }, codeHash).catch(explainTaken)
  const { delivery_id, ...signedIn } = made ?? wrongCode()
  ctx.after(() => publishDeliveries(ctx.queue, [delivery_id]))
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

type Newcomer = Parameters<typeof queries.insertMember>[2]

/** Joins by an account's invite: it is used, the newcomer is there and the inviter is told in one transaction, or nothing is. */
async function join(ctx: Visitor, person: Newcomer, code: string, platformCodeHash: string | null) {
  const hash = await sha256Bytea(code)
  const { signedIn, deliveries } = await ctx.platform.transaction().execute(async (tx) => {
    if (platformCodeHash && !(await queries.redeemCode(tx, platformCodeHash))) wrongCode()
    const invite = (await queries.claimInvite(tx, hash, person.email)) ?? (await explainUnusable(ctx, code))
    const signedIn = await queries.insertMember(tx, invite, person).catch(explainTaken)
    if (!invite.invited_by) return { signedIn, deliveries: [] }
    await queries.enterAccount(tx, invite.account_id, signedIn.id)
    const about = { memberName: person.fullName, inviterId: invite.invited_by }
    return { signedIn, deliveries: await emit(tx, { key: 'member.joined', actorId: signedIn.id, teamId: invite.team_id, ...about }) }
  })
  ctx.after(() => publishDeliveries(ctx.queue, deliveries))
  return signedIn
}

async function explainUnusable(ctx: Visitor, code: string): Promise<never> {
  // Throws when the code works for nobody; otherwise it works for another address.
  await invites.lookup(ctx, code)
  throw new Problem('bad_request', 'This invite was sent to another address', { code: 'invite_email_mismatch' })
}

function explainTaken(error: unknown): never {
  throw violated(error) === 'users_email' ? new Problem('conflict', 'This address is already taken', { code: 'email_taken' }) : error
}

export async function login(ctx: Visitor, { email, password }: Login) {
  const known = await queries.selectCredentials(ctx.platform, email)
  if (known?.locked_for) throw locked(known.locked_for)
  const right = await verifyPassword(known?.hash ?? undefined, password)
  if (!right || !known?.user_id) {
    await queries.recordLoginFailure(ctx.platform, email, ctx.ip)
    throw new Problem('unauthenticated', 'Incorrect email or password')
  }
  const refresh = randomToken()
  const signedIn = await queries.insertSignIn(ctx.platform, known.user_id, await device(ctx, refresh))
  if (!signedIn) throw locked(900)
  return tokenPair(ctx, signedIn, refresh)
}

export async function refresh(ctx: Visitor, token: string) {
  const next = randomToken()
  const hash = await sha256Bytea(token)
  const signedIn = await queries.rotateRefreshToken(ctx.platform, hash, await sha256Bytea(next))
  if (signedIn) return tokenPair(ctx, signedIn, next)
  // Two tabs that refresh at once must not sign each other out; later than that, somebody else has the token.
  const reused = await queries.endReusedFamily(ctx.platform, hash)
  throw new Problem('unauthenticated', 'The refresh token does not work', reused ? { code: 'refresh_token_reused' } : {})
}

export async function logout(ctx: Visitor, token: string) {
  await queries.endFamilyOf(ctx.platform, await sha256Bytea(token))
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

export async function changePassword(ctx: Person, { current_password, new_password }: ChangePassword) {
  const { userId, signInId } = ctx.caller
  const known = await queries.selectPassword(ctx.platform, userId)
  if (!known || !(await verifyPassword(known.hash, current_password))) {
    throw new Problem('bad_request', 'The current password is wrong', { code: 'wrong_password' })
  }
  requireStrong(new_password, known.email, 'new_password')
  const change = { userId, signInId, before: known.hash, after: await hashPassword(new_password) }
  if (!(await queries.replacePassword(ctx.platform, change))) throw new Problem('conflict', 'The password was changed meanwhile')
}

export async function verifyEmail({ platform }: Visitor, token: string) {
  if (await queries.verifyEmail(platform, await sha256Bytea(token))) return
  throw deadLink()
}

export async function resendVerification(ctx: Person) {
  const mail = await queries.insertVerificationMail(ctx.platform, ctx.caller.userId)
  if (mail) ctx.after(() => publishDeliveries(ctx.queue, [mail.id]))
}

/** Says nothing of whether the address is anybody's: the answer and the work are the same. */
export async function forgotPassword(ctx: Visitor, email: string) {
  const mail = await queries.insertResetMail(ctx.platform, email)
  if (mail) ctx.after(() => publishDeliveries(ctx.queue, [mail.id]))
}

export async function resetPassword({ platform }: Visitor, { token, new_password }: ResetPassword) {
  const hash = await sha256Bytea(token)
  const known = await queries.selectResetToken(platform, hash)
  if (!known) throw deadLink()
  requireStrong(new_password, known.email, 'new_password')
  if (!(await queries.resetPassword(platform, hash, await hashPassword(new_password)))) throw deadLink()
}

export async function listDevices({ db, caller }: Reader) {
  return queries.selectDevices(db, caller.userId, caller.signInId)
}

export async function endDevice({ db, caller }: Writer, id: string) {
  if (!(await queries.endDevice(db, caller.userId, id))) throw new Problem('not_found', 'Sign-in not found')
}

function deadLink(): Problem {
  return new Problem('bad_request', 'This link was used, has run out or never worked', { code: 'token_invalid_or_expired' })
}

function locked(seconds: number): Problem {
  const headers = { 'retry-after': String(seconds) }
  return new Problem('rate_limited', 'Too many failed sign-ins for this address; try again later', { headers, code: 'sign_in_locked' })
}

function requireStrong(password: string, email: string, field: string): void {
  const reason = weakness(password, email)
  if (reason) throw invalid([{ loc: ['body', field], msg: reason, type: 'weak_password' }])
}

async function device({ userAgent, ip }: Visitor, refresh: string) {
  return { refreshHash: await sha256Bytea(refresh), userAgent, ip }
}

async function tokenPair({ tokens }: Visitor, { sign_in_id, ...user }: queries.SignedIn, refresh_token: string) {
  const access_token = await tokens.sign({ userId: user.id, accountId: user.account_id, signInId: sign_in_id })
  return { access_token, refresh_token, token_type: 'bearer' as const, expires_in: accessTokenSeconds, user }
}
