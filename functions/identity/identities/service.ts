import { inTransaction } from '#db/scope.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import type { Provider } from '#functions/identity/oauth/schemas.ts'
import * as oauth from '#functions/identity/oauth/service.ts'
import * as signIns from '#functions/identity/sign-ins/service.ts'
import { type Context, Existing } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { LinkCallback } from './schemas.ts'

type UserContext = Context<'post', 'user', string>

export async function list({ platform, caller }: Pick<UserContext, 'platform' | 'caller'>) {
  return queries.selectIdentities(platform, caller.userId)
}

export async function startLink(ctx: UserContext, provider: Provider) {
  return oauth.startFlow(ctx, provider, ctx.caller.signInId)
}

export async function finishLink(ctx: UserContext, provider: Provider, callback: LinkCallback) {
  const { platform, caller, ip } = ctx
  const { subject } = await oauth.redeem(ctx, provider, callback, caller.signInId)
  const inserted = await queries.insertIdentity
    .one(platform, { userId: caller.userId, provider, subject, ip })
    .catch(async (error: unknown) => {
      const linked = await queries.selectIdentity(platform, caller.userId, provider, subject)
      return linked ? new Existing(linked) : throwLinked(error)
    })
  if (inserted instanceof Existing) return inserted
  const { delivery_id, ...identity } = inserted
  if (delivery_id) enqueueDelivery(platform, delivery_id)
  return identity
}

function throwLinked(error: unknown): never {
  const constraint = getViolatedConstraint(error)
  if (constraint === 'identities_pkey') throw new Problem('identity_taken')
  throw constraint === 'identities_user_id_provider_key' ? new Problem('provider_linked') : error
}

export async function unlink(
  { platform, caller, ip }: Context<'delete', 'user', string>,
  provider: Provider,
) {
  const { delivery_id } = await inTransaction(platform, async (tx) => {
    await signIns.lockUser(tx, caller.userId)
    const identities = await queries.selectIdentities(tx, caller.userId)
    if (!identities.some((identity) => identity.provider === provider)) throwNotFound('Identity')
    const deleted = await queries.deleteIdentity.first(tx, caller.userId, provider, ip)
    if (!deleted) throw new Problem('last_sign_in_method')
    return deleted
  })
  if (delivery_id) enqueueDelivery(platform, delivery_id)
}
