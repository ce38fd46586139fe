import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, now } from '#db/expressions.ts'
import type { PlatformDb, ReadDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'

const State = z.object({
  number: z.string().nullable(),
  verified_at: z.string().nullable(),
  pending_number: z.string().nullable(),
  code_expires_at: z.string().nullable(),
})

/** Select the number of a user, and the one that waits for a code that is not over. */
export function selectNumber(db: PlatformDb, userId: string) {
  return db
    .selectFrom('phone_numbers')
    .select((eb) => [
      'number',
      'verified_at',
      eb.case().when('code_expires_at', '>', now).then(eb.ref('pending_number')).end().as('pending_number'),
      eb.case().when('code_expires_at', '>', now).then(eb.ref('code_expires_at')).end().as('code_expires_at'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Select the prefixes that the gateway of the account sends to, or undefined without a gateway. */
export async function selectAllowedPrefixes(db: ReadDb): Promise<string[] | undefined> {
  const gateway = await db
    .selectFrom('phone_gateways')
    .select('allowed_prefixes')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return gateway?.allowed_prefixes
}

interface NewNumber {
  userId: string
  signInId: string
  /** The hash of the password that was verified, or null for a user without one. */
  hash: string | null
  number: string
  ip: string
}

/**
 * Store the number that waits for its code, its audit entry, and the message with the code. Nothing of it
 * happens after too many codes in 15 minutes: 3 to the person and to the number, 20 to the account. Return no
 * row if the password was replaced or the sign-in has ended.
 */
export const insertPendingNumber = writeStatement(
  State.pick({ code_expires_at: true }).extend({ delivery_id: z.string().nullable() }),
  ({ userId, signInId, hash, number, ip }: NewNumber) => sql`
    with s as (
      select s.account_id, s.user_id from sign_ins s where s.id = ${signInId} and s.user_id = ${userId} and s.ended_at is null for share
    ), p as (
      select user_id from passwords where user_id = ${userId} and hash = ${hash} for share
    ), asked as (
      select s.account_id, s.user_id from s where ${hash}::text is null or exists (select from p)
    ), counted as materialized (
      select coalesce(max(a.lock_seconds), 0) > 0 as is_limited
        from asked, lateral (values ('phone_of_person', asked.user_id::text, 3), ('phone_of_account', asked.account_id::text, 20), ('phone', ${number}, 3)) k (kind, name, tries),
             lateral app.count_attempt(app.attempt_key(k.kind, k.name), k.tries) a
    ), n as (
      insert into phone_numbers as n (account_id, user_id, pending_number, code_expires_at)
      select asked.account_id, asked.user_id, ${number}, app.now() + interval '10 minutes' from asked, counted where not counted.is_limited
      on conflict (account_id, user_id) do update
         set pending_number = excluded.pending_number, code_hash = null, code_attempts = 0, code_expires_at = excluded.code_expires_at
      returning n.account_id, n.user_id
    ), withdrawn as (
      delete from deliveries d using n
       where d.account_id = n.account_id and d.user_id = n.user_id and d.purpose = 'verify_phone' and d.state in ('pending', 'retrying')
    ), message as (
      insert into deliveries (account_id, channel, purpose, user_id)
      select n.account_id, 'sms', 'verify_phone', n.user_id from n
      returning id, app.record_factor_change(user_id, user_id, 'phone_number.requested', ${ip}, null) as noted
    )
    select app.now() + interval '10 minutes' as code_expires_at, (select id from message) as delivery_id from asked`,
)

/**
 * Compare a code with the stored one, at most 5 times. The right one makes the number that of the user. Return
 * whether it did; no row without a code that is open.
 */
export const confirmNumber = writeStatement(
  z.object({ is_confirmed: z.boolean(), delivery_id: z.string().nullable() }),
  (userId: string, hash: string, ip: string) => sql`
    with tried as (
      update phone_numbers n
         set code_attempts = code_attempts + 1,
             number = case when code_hash = ${hash}::bytea then pending_number else number end,
             verified_at = case when code_hash = ${hash}::bytea then app.now() else verified_at end,
             pending_number = case when code_hash = ${hash}::bytea then null else pending_number end,
             code_expires_at = case when code_hash = ${hash}::bytea then null else code_expires_at end,
             code_hash = case when code_hash = ${hash}::bytea then null else code_hash end
       where n.user_id = ${userId} and n.code_hash is not null and n.code_expires_at > app.now() and n.code_attempts < 5
      returning n.pending_number is null as is_confirmed,
        case when n.pending_number is null then app.record_factor_change(n.user_id, n.user_id, 'phone_number.confirmed', ${ip}, 'phone_number_added') end as delivery_id
    )
    select is_confirmed, delivery_id from tried`,
)

/** Delete the numbers of a user, and withdraw a message with a code. */
export const deleteNumber = writeStatement(
  null,
  (userId: string, ip: string) => sql`
    with n as (
      delete from phone_numbers where user_id = ${userId}
      returning account_id, user_id, app.record_factor_change(user_id, user_id, 'phone_number.deleted', ${ip}, null) as noted
    ), withdrawn as (
      delete from deliveries d using n
       where d.account_id = n.account_id and d.user_id = n.user_id and d.purpose = 'verify_phone' and d.state in ('pending', 'retrying')
    )
    select from n`,
)
