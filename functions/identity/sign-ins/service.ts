import { inTransaction, type PlatformDb } from '#db/scope.ts'
import * as emailChanges from '#functions/identity/email-changes/service.ts'
import type { Context, ReadContext, WriteContext } from '#http/operation.ts'
import { notFound } from '#problem.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import { accessTokenSeconds } from '#vendors/auth/tokens.ts'
import * as queries from './queries.ts'
import type { NewSignIn, SignedInUser, SignInResult } from './schemas.ts'

export async function list({ db, caller }: ReadContext) {
  return queries.selectSignIns(db, caller.userId, caller.signInId)
}

export async function revoke({ db, caller }: WriteContext, id: string) {
  if (!(await queries.revokeSignIn(db, caller.userId, id))) throw notFound('Sign-in')
}

/**
 * Revoke every sign-in of the caller, the device tokens, and the change of the address that waits for its
 * confirmation.
 */
export async function revokeAll({ platform, caller }: Context<'delete', 'user', string>) {
  await inTransaction(platform, async (tx) => {
    await queries.revokeAll.run(tx, caller.userId)
    // A statement of its own, which sees what a request of an open sign-in has stored until now.
    await emailChanges.remove(tx, caller.userId)
  })
}

/** Lock a user until the end of the transaction, so that two who remove ways to sign in see each other. */
export async function lockUser(tx: PlatformDb, userId: string) {
  await queries.lockUser(tx, userId)
}

/** Revoke the sign-in of a refresh token, used or not. */
export async function revokeByToken(platform: PlatformDb, token: string) {
  await queries.revokeByToken(platform, await sha256Bytea(token))
}

/**
 * Revoke the sign-in of a reused refresh token, with a grace of 5 s for parallel tabs. Return whether the
 * token was reused.
 */
export async function revokeByReusedToken(platform: PlatformDb, tokenHash: string): Promise<boolean> {
  return (await queries.revokeByReusedToken.run(platform, tokenHash)) > 0
}

type PublicContext = Context<'post', 'public', string>

/**
 * Sign an active user in, or ask for the second factor. Return undefined for a deactivated user, and if the
 * verified password was replaced meanwhile.
 */
export async function open(
  ctx: PublicContext,
  userId: string,
  proof: queries.FirstFactor,
): Promise<SignInResult | undefined> {
  const refreshToken = randomToken()
  const user = await queries.insertSignIn.first(
    ctx.platform,
    userId,
    proof,
    await describe(ctx, refreshToken),
  )
  return user ? issueTokens(ctx, user, refreshToken) : startChallenge(ctx, userId, proof)
}

/** Sign in the active user of a passkey that was verified. Return undefined for a deactivated user. */
export async function openWithPasskey(ctx: PublicContext, userId: string) {
  const refreshToken = randomToken()
  const user = await queries.insertSignIn.first(
    ctx.platform,
    userId,
    { kind: 'passkey' },
    await describe(ctx, refreshToken),
  )
  return user && issueTokens(ctx, user, refreshToken)
}

async function startChallenge(
  { platform }: PublicContext,
  userId: string,
  proof: queries.FirstFactor,
): Promise<SignInResult | undefined> {
  const mfa_token = randomToken()
  const factors = await queries.insertChallenge.first(platform, await sha256Bytea(mfa_token), userId, proof)
  if (!factors) return undefined
  const methods = [
    ...(factors.has_totp ? (['totp'] as const) : []),
    ...(factors.has_recovery_codes ? (['recovery_code'] as const) : []),
    ...(factors.has_passkeys ? (['passkey'] as const) : []),
  ]
  return { mfa_required: true, mfa_token, methods }
}

/**
 * Complete the challenge of a user whose second factor was verified. Return undefined if it was used or has
 * expired.
 */
export async function completeChallenge(ctx: PublicContext, challengeHash: string, userId: string) {
  const refreshToken = randomToken()
  const user = await queries.completeChallenge.first(
    ctx.platform,
    challengeHash,
    userId,
    await describe(ctx, refreshToken),
  )
  return user && issueTokens(ctx, user, refreshToken)
}

/** Return what is stored of the sign-in of a request. */
export async function describe({ userAgent, ip }: PublicContext, refreshToken: string): Promise<NewSignIn> {
  return { refreshHash: await sha256Bytea(refreshToken), userAgent, ip }
}

interface TokenSubject extends SignedInUser {
  /** Of a user who signed in with the password; absent or null if the response contains no device token. */
  device_generation?: number | null
  /** The known device, which keeps its id and with it its attempts. */
  device_id?: string | null
}

export async function issueTokens(ctx: PublicContext, subject: TokenSubject, refresh_token: string) {
  const { sign_in_id, device_generation, device_id, ...user } = subject
  const access_token = await ctx.tokens.sign({
    userId: user.id,
    accountId: user.account_id,
    signInId: sign_in_id,
  })
  const tokens = {
    access_token,
    refresh_token,
    token_type: 'bearer' as const,
    expires_in: accessTokenSeconds,
    user,
  }
  if (device_generation == null) return tokens
  const device = { id: device_id ?? crypto.randomUUID(), userId: user.id, generation: device_generation }
  return { ...tokens, device_token: await ctx.deviceTokens.sign(device) }
}
