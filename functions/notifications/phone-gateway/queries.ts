import { sql } from 'kysely'
import * as z from 'zod'
import { accountId } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { PhoneProvider } from '#vendors/phone/phone.ts'

export function selectGateway(db: ReadDb) {
  return db
    .selectFrom('phone_gateways')
    .select([
      'id',
      'account_id',
      sql<PhoneProvider>`provider`.as('provider'),
      'base_url',
      'account_sid',
      'api_key_sid',
      'secret',
      'sender',
      'allowed_prefixes',
      'daily_limit',
      sql<number>`case when counted_on = app.local_today() then counted else 0 end`.as('sent_today'),
      'last_error',
      'last_error_at',
      'created_at',
      'updated_at',
    ])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}
export type GatewayRow = NonNullable<Awaited<ReturnType<typeof selectGateway>>>

type GatewayChange = Pick<
  GatewayRow,
  | 'provider'
  | 'base_url'
  | 'account_sid'
  | 'api_key_sid'
  | 'secret'
  | 'sender'
  | 'allowed_prefixes'
  | 'daily_limit'
>

/**
 * Insert or update the gateway. `oldSecret` is the encrypted one that the caller read, or null for none.
 * Return no row if another request has changed the gateway since.
 */
export const saveGateway = writeStatement(
  z.object({ id: z.string() }),
  (g: GatewayChange, oldSecret: string | null) => sql`
    insert into phone_gateways as g (provider, base_url, account_sid, api_key_sid, secret, sender, allowed_prefixes, daily_limit)
    select ${g.provider}, ${g.base_url}, ${g.account_sid}, ${g.api_key_sid}, ${g.secret}, ${g.sender}, ${`{${g.allowed_prefixes.join(',')}}`}::text[],
           ${g.daily_limit}::integer
     where ${oldSecret}::text is null
        or exists (select from phone_gateways o where o.account_id = app.account_id() and o.secret = ${oldSecret})
    on conflict (account_id) do update set provider = excluded.provider, base_url = excluded.base_url, account_sid = excluded.account_sid,
      api_key_sid = excluded.api_key_sid, secret = excluded.secret, sender = excluded.sender, allowed_prefixes = excluded.allowed_prefixes,
      daily_limit = excluded.daily_limit, last_error = null, last_error_at = null, updated_at = app.now()
      where g.secret = ${oldSecret}
    returning g.id`,
)

export async function deleteGateway(db: WriteDb): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('phone_gateways')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
