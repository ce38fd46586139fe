import type { PlatformDb } from '#db/scope.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import { getOwnCredentials, requireOwnPassword } from '#functions/identity/credentials/service.ts'
import type { Context } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { EmailChangeCreate } from './schemas.ts'

type UserContext = Context<'post', 'user', string>

/**
 * Store the change and its two e-mails. Whether somebody else has the address is checked when the e-mail is
 * written, so neither the response nor its time shows it.
 */
export async function create(ctx: UserContext, { new_email, password }: EmailChangeCreate) {
  const { userId, signInId } = ctx.caller
  const { email, hash } = await getOwnCredentials(ctx)
  if (email.toLowerCase() === new_email.toLowerCase())
    throw invalidField(['body', 'new_email'], 'must differ from your present address', 'same')
  await requireOwnPassword(ctx, hash, password)
  const inserted = await queries.insertChange.first(ctx.platform, {
    userId,
    signInId,
    hash,
    newEmail: new_email,
    ip: ctx.ip,
  })
  // The password was replaced, or the sign-in ended, while the password was verified.
  if (!inserted) throw new Problem('unauthenticated')
  const { link_delivery_id, notice_delivery_id, ...change } = inserted
  for (const id of [link_delivery_id, notice_delivery_id]) if (id) enqueueDelivery(ctx.platform, id)
  return change
}

export async function get({ platform, caller }: Pick<UserContext, 'platform' | 'caller'>) {
  return (
    (await queries.selectChange(platform, caller.userId)) ?? throwNotFound('Change of the e-mail address')
  )
}

export async function cancel({ platform, caller }: Pick<UserContext, 'platform' | 'caller'>) {
  await remove(platform, caller.userId)
}

export async function remove(platform: PlatformDb, userId: string) {
  await queries.deleteChange(platform, userId)
}

export async function confirm({ platform, ip }: Context<'post', 'public', string>, token: string) {
  const hash = await sha256Bytea(token)
  const confirmedChange = await queries.confirmChange.first(platform, hash, ip).catch((error: unknown) => {
    throw getViolatedConstraint(error) === 'users_email' ? new Problem('email_taken') : error
  })
  if (!confirmedChange) throw new Problem('token_invalid_or_expired')
  if (confirmedChange.delivery_id) enqueueDelivery(platform, confirmedChange.delivery_id)
}
