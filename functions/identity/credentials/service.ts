import type { Context } from '#http/operation.ts'
import { invalidField, Problem, staleVersion } from '#problem.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import { findPasswordWeakness } from '#vendors/auth/passwords.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { ChangePassword, ResetPassword } from './schemas.ts'

type PublicContext = Context<'post', 'public', string>
type UserContext = Context<'post', 'user', string>

export async function changePassword(ctx: UserContext, { current_password, new_password }: ChangePassword) {
  const { userId, signInId } = ctx.caller
  const user = await queries.selectPassword(ctx.platform, userId)
  if (!user) throw new Problem('no_password')
  if (!(await ctx.passwords.verify(user.hash, current_password, 'known'))) throw new Problem('wrong_password')
  requireStrongPassword(new_password, user.email, 'new_password')
  const change = {
    userId,
    signInId,
    oldHash: user.hash,
    newHash: await ctx.passwords.hash(new_password, 'known'),
    ip: ctx.ip,
  }
  const changed = await queries.replacePassword.first(ctx.platform, change)
  if (!changed) throw staleVersion('password')
  if (changed.delivery_id) enqueueDelivery(ctx.platform, changed.delivery_id)
}

export async function verifyEmail({ platform }: PublicContext, token: string) {
  if ((await queries.verifyEmail.run(platform, await sha256Bytea(token))) === 0)
    throw new Problem('token_invalid_or_expired')
}

export async function resendVerification(ctx: UserContext) {
  const delivery = await queries.insertVerificationMail(ctx.platform, ctx.caller.userId)
  if (delivery) enqueueDelivery(ctx.platform, delivery.id)
}

/**
 * Send a reset link if an active user has this address, at most 3 in 15 minutes. The response does not reveal
 * whether: it is the same, and the address is looked up after it, because inserting a mail takes longer than
 * finding no user.
 */
export async function requestPasswordReset(ctx: PublicContext, email: string) {
  const { lock_seconds } = await queries.countResetRequest.one(ctx.platform, email)
  if (lock_seconds) return
  ctx.afterCommit(async () => {
    const delivery = await queries.insertResetMail(ctx.platform, email)
    if (delivery) enqueueDelivery(ctx.platform, delivery.id)
  })
}

export async function resetPassword(
  { platform, passwords, ip }: PublicContext,
  { token, new_password }: ResetPassword,
) {
  const hash = await sha256Bytea(token)
  const user = await queries.selectResetToken(platform, hash)
  if (!user) throw new Problem('token_invalid_or_expired')
  if (user.is_refused) throw new Problem('sso_required')
  requireStrongPassword(new_password, user.email, 'new_password')
  const newHash = await passwords.hash(new_password, 'known')
  const reset = await queries.resetPassword.first(platform, hash, newHash, ip)
  if (!reset) throw new Problem('token_invalid_or_expired')
  if (reset.delivery_id) enqueueDelivery(platform, reset.delivery_id)
}

/** Return the address of the caller, and the password hash if there is one. */
export async function getOwnCredentials({ platform, caller }: Pick<UserContext, 'platform' | 'caller'>) {
  return queries.selectCredentials.one(platform, caller.userId)
}

/** Throw unless `password` is the password of a user with this hash. A user without a password needs none. */
export async function requireOwnPassword(
  { passwords }: Pick<UserContext, 'passwords'>,
  hash: string | null,
  password: string | undefined,
): Promise<void> {
  if (hash === null) return
  if (!password)
    throw invalidField(['body', 'password'], 'is required, because you have a password', 'missing')
  if (!(await passwords.verify(hash, password, 'known'))) throw new Problem('wrong_password')
}

/** Throw 422 for a weak password. `field` is its name in the body. */
function requireStrongPassword(password: string, email: string, field: string): void {
  const weakness = findPasswordWeakness(password, email)
  if (weakness) throw invalidField(['body', field], weakness, 'weak_password')
}
