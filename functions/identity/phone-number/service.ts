import { getOwnCredentials, requireOwnPassword } from '#functions/identity/credentials/service.ts'
import type { Context } from '#http/operation.ts'
import { invalidField, Problem } from '#problem.ts'
import { hashPhoneCode } from '#vendors/auth/phone-codes.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { PhoneNumberCreate, PhoneNumberState } from './schemas.ts'

type UserContext = Context<'post', 'user', string>
type ReadContext = Pick<UserContext, 'platform' | 'caller'>

export async function get({ platform, caller }: ReadContext): Promise<PhoneNumberState> {
  return (await queries.selectNumber(platform, caller.userId)) ?? noNumber
}

const noNumber = { number: null, verified_at: null, pending_number: null, code_expires_at: null }

/**
 * Store the number and the message with its code. After too many codes nothing is sent, and the answer is the
 * same: it must not tell which numbers somebody else is verifying.
 */
export async function create(
  ctx: UserContext,
  { number, password }: PhoneNumberCreate,
): Promise<PhoneNumberState> {
  const { userId, signInId } = ctx.caller
  const allowed_prefixes = await queries.selectAllowedPrefixes(ctx.db)
  if (!allowed_prefixes) throw new Problem('no_phone_gateway')
  if (!allowed_prefixes.some((prefix) => number.startsWith(prefix)))
    throw invalidField(
      ['body', 'number'],
      `must start with ${allowed_prefixes.join(', ')}, which an account admin can change`,
    )
  const { hash } = await getOwnCredentials(ctx)
  await requireOwnPassword(ctx, hash, password)
  const pending = { userId, signInId, hash, number, ip: ctx.ip }
  const inserted = await queries.insertPendingNumber.first(ctx.platform, pending)
  // The password was replaced, or the sign-in ended, while the password was verified.
  if (!inserted) throw new Problem('unauthenticated')
  const { code_expires_at, delivery_id } = inserted
  if (delivery_id) enqueueDelivery(ctx.platform, delivery_id)
  const { number: present, verified_at } = await get(ctx)
  return { number: present, verified_at, pending_number: number, code_expires_at }
}

export async function confirm(ctx: UserContext, code: string): Promise<PhoneNumberState> {
  const { userId } = ctx.caller
  const tried = await queries.confirmNumber.first(
    ctx.platform,
    userId,
    await hashPhoneCode(userId, code),
    ctx.ip,
  )
  if (!tried?.is_confirmed)
    throw new Problem('token_invalid_or_expired', 'The code is wrong or has expired; ask for a new one')
  if (tried.delivery_id) enqueueDelivery(ctx.platform, tried.delivery_id)
  return get(ctx)
}

export async function remove({ platform, caller, ip }: Context<'delete', 'user', string>): Promise<void> {
  await queries.deleteNumber.run(platform, caller.userId, ip)
}
