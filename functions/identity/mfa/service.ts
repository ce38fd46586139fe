import type { PlatformDb } from '#db/scope.ts'
import * as passkeys from '#functions/identity/passkeys/service.ts'
import * as signIns from '#functions/identity/sign-ins/service.ts'
import type { Context } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import { createRecoveryCodes, hashRecoveryCode } from '#vendors/auth/recovery-codes.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { Challenge, Factor } from './schemas.ts'

type UserContext = Context<'post', 'user', string>
type PublicContext = Context<'post', 'public', string>
type VerifyContext = Pick<PublicContext, 'platform' | 'vault' | 'passkeys' | 'ip'>

export async function getState({
  platform,
  caller,
  config,
}: Pick<UserContext, 'platform' | 'caller' | 'config'>) {
  const { is_required_by_account, is_super_admin, ...state } = await queries.selectState.one(
    platform,
    caller.userId,
    caller.signInId,
  )
  return { ...state, is_required: is_required_by_account || (is_super_admin && config.SUPER_ADMIN_MFA) }
}

// Loaded on first use, because few requests need the library.
const loadTotp = () => import('#vendors/auth/totp.ts')

/** Create the secret of an authenticator app. It counts only once a code was verified. */
export async function createTotp({ platform, vault, caller }: UserContext) {
  const { buildTotpUrl, createTotpSecret } = await loadTotp()
  const secret = createTotpSecret()
  const user = await queries.upsertTotp.first(
    platform,
    caller.userId,
    await vault.seal(secret, sealContext(caller.userId)),
  )
  if (!user) throw new Problem('mfa_already_enabled')
  return { secret, otpauth_url: buildTotpUrl(secret, user.email) }
}

/**
 * Verify the first code of an authenticator app and switch it on. Return the recovery codes if they are new.
 */
export async function verifyTotp(
  { platform, vault, caller: { userId, signInId }, ip }: UserContext,
  code: string,
) {
  const totp = await queries.selectTotp.first(platform, userId)
  if (!totp) throw new Problem('mfa_not_enabled', 'Create a secret first')
  if (totp.is_confirmed) throw new Problem('mfa_already_enabled')
  const { findTotpStep } = await loadTotp()
  const step = findTotpStep(await vault.open(totp.secret, sealContext(userId)), code, totp.now_seconds)
  if (step === null) throw new Problem('mfa_code_invalid')
  const recoveryCodes = createRecoveryCodes()
  const recoveryCodeHashes = await hashCodes(recoveryCodes)
  const confirmation = await queries.confirmTotp.first(platform, {
    userId,
    signInId,
    ip,
    secret: totp.secret,
    step,
    recoveryCodeHashes,
  })
  if (!confirmation) throw new Problem('mfa_already_enabled')
  enqueueMail(platform, confirmation)
  return { recovery_codes: confirmation.recovery_code_count > 0 ? recoveryCodes : [] }
}

export async function deleteTotp({ platform, caller, ip }: UserContext) {
  const deleted = await queries.deleteTotp.first(platform, caller.userId, ip)
  if (!deleted) throw new Problem('mfa_not_enabled')
  enqueueMail(platform, deleted)
}

export async function replaceRecoveryCodes({ platform, caller, ip }: UserContext) {
  const recoveryCodes = createRecoveryCodes()
  const replacement = await queries.replaceRecoveryCodes.first(
    platform,
    caller.userId,
    await hashCodes(recoveryCodes),
    ip,
  )
  if (!replacement) throw new Problem('mfa_not_enabled')
  return { recovery_codes: recoveryCodes }
}

/**
 * Verify the second factor of a sign-in and return its tokens. The attempt is counted first, like that of a
 * password.
 */
export async function completeChallenge(ctx: PublicContext, { mfa_token, ...factor }: Challenge) {
  const hash = await sha256Bytea(mfa_token)
  const attempt = await queries.countChallengeAttempt.first(ctx.platform, hash)
  if (!attempt) throw new Problem('mfa_token_invalid')
  await requireFactor(ctx, attempt, factor)
  const tokens = await signIns.completeChallenge(ctx, hash, attempt.user_id)
  if (!tokens) throw new Problem('mfa_token_invalid')
  return tokens
}

/** Verify a second factor again, for the operations that need a fresh one. */
export async function stepUp(ctx: UserContext, factor: Factor) {
  const { userId, signInId } = ctx.caller
  const attempt = await queries.countStepUpAttempt.one(ctx.platform, userId, signInId)
  if (!attempt.has_second_factor) throw new Problem('mfa_not_enabled')
  await requireFactor(ctx, attempt, factor)
  await queries.completeStepUp.run(ctx.platform, userId, signInId)
}

interface Attempt {
  user_id: string
  secret: string | null
  now_seconds: number
  lock_seconds: number | null
  is_last: boolean
}

/** Throw unless the attempt is allowed and the factor is right. */
async function requireFactor(ctx: VerifyContext, attempt: Attempt, { code, passkey }: Factor): Promise<void> {
  if (attempt.lock_seconds) {
    const headers = { 'retry-after': String(attempt.lock_seconds) }
    throw new Problem('sign_in_locked', 'Too many wrong codes; try again later', { headers })
  }
  const isRight = passkey
    ? (await passkeys.verifyAssertion(ctx, passkey)) === attempt.user_id
    : await isRightCode(ctx, attempt, code ?? '')
  if (isRight) return
  if (attempt.is_last) await queries.insertLockAudit.run(ctx.platform, attempt.user_id, ctx.ip)
  throw new Problem(passkey ? 'passkey_invalid' : 'mfa_code_invalid')
}

/** Use a code of the authenticator app or a recovery code. Return false for a wrong or used one. */
async function isRightCode(
  { platform, vault, ip }: VerifyContext,
  { user_id, secret, now_seconds }: Attempt,
  code: string,
): Promise<boolean> {
  if (!/^\d{6}$/.test(code))
    return Boolean(await queries.useRecoveryCode.first(platform, user_id, await hashRecoveryCode(code), ip))
  if (!secret) return false
  const { findTotpStep } = await loadTotp()
  const step = findTotpStep(await vault.open(secret, sealContext(user_id)), code, now_seconds)
  return step !== null && (await queries.useTotpStep.run(platform, user_id, step)) > 0
}

function enqueueMail(platform: PlatformDb, { delivery_id }: { delivery_id: string | null }): void {
  if (delivery_id) enqueueDelivery(platform, delivery_id)
}

function hashCodes(codes: readonly string[]): Promise<string[]> {
  return Promise.all(codes.map(hashRecoveryCode))
}

/** Return the context that binds a sealed secret to its user. */
function sealContext(userId: string): string {
  return `totp:${userId}`
}
