import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { now } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { phoneProviders } from '#vendors/phone/phone.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'

type Claimed = Pick<ClaimedDelivery, 'account_id' | 'user_id'>

const Route = z.object({
  id: z.string(),
  provider: z.enum(phoneProviders),
  base_url: z.string(),
  account_sid: z.string().nullable(),
  api_key_sid: z.string().nullable(),
  secret: z.string(),
  sender: z.string().nullable(),
  allowed_prefixes: z.array(z.string()),
  daily_limit: z.int(),
  number: z.string().nullable(),
  pending_number: z.string().nullable(),
})
export type Route = z.output<typeof Route>

/** Select the gateway of a delivery, with the numbers of its person. Return no row without a gateway. */
export const selectRoute = readStatement(
  Route,
  ({ account_id, user_id }: Claimed) => sql`
    select g.id, g.provider, g.base_url, g.account_sid, g.api_key_sid, g.secret, g.sender, g.allowed_prefixes, g.daily_limit, n.number,
           case when n.code_expires_at > app.now() then n.pending_number end as pending_number
      from phone_gateways g left join phone_numbers n on n.account_id = g.account_id and n.user_id = ${user_id}
     where g.account_id = ${account_id}`,
)

/** Count a message or a call of the account. Return whether the limit of the day allows it. */
export const countMessage = writeStatement(
  z.object({ is_allowed: z.boolean() }),
  () => sql`select ${callFunction('app.count_phone_message', {})} as is_allowed`,
)

/** Note that the admins are told today that the limit is reached. Return no row if they were. */
export const markAnnounced = writeStatement(
  z.object({ id: z.string() }),
  () => sql`
    update phone_gateways set announced_on = app.local_today()
     where account_id = app.account_id() and announced_on is distinct from app.local_today() returning id`,
)

/** Store the hash of a code. Return whether the number still waits for one. */
export async function storeCode(
  db: PlatformDb,
  { account_id, user_id }: Claimed,
  number: string,
  hash: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('phone_numbers')
    .set({ code_hash: sql`${hash}::bytea`, code_attempts: 0 })
    .where('account_id', '=', account_id)
    .where('user_id', '=', user_id)
    .where('pending_number', '=', number)
    .where('code_expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Store why the gateway failed, or null after a message that it accepted, unless it has another secret by now. */
export const recordGateway = writeStatement(
  null,
  ({ account_id }: Claimed, { secret }: Route, error: string | null) => sql`
    update phone_gateways set last_error = ${error}, last_error_at = case when ${error}::text is not null then app.now() end
     where account_id = ${account_id} and secret = ${secret} and (last_error is not null or ${error}::text is not null)`,
)
