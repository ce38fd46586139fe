import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { now } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { EmailChange } from './schemas.ts'

interface NewChange {
  userId: string
  signInId: string
  /** The hash of the password that was verified, or null for a user without one. */
  hash: string | null
  newEmail: string
  ip: string
}

/**
 * Replace the user's change, and insert its audit entry, the notice to the present address and, unless the
 * new address got 3 links in 15 minutes, the e-mail with the link. Return undefined if the password was
 * replaced or the sign-in has ended.
 */
export const insertChange = writeStatement(
  EmailChange.extend({ link_delivery_id: z.string().nullable(), notice_delivery_id: z.string().nullable() }),
  ({ userId, signInId, hash, newEmail, ip }: NewChange) => sql`
    with s as (
      select user_id from sign_ins where id = ${signInId} and user_id = ${userId} and ended_at is null for share
    ), p as (
      select user_id from passwords where user_id = ${userId} and hash = ${hash} for share
    ), c as (
      insert into email_changes (user_id, new_email)
      select user_id, ${newEmail} from s where ${hash}::text is null or exists (select from p)
      on conflict (user_id) do update set id = uuidv7(), new_email = excluded.new_email, created_at = app.now(), expires_at = app.now() + interval '1 hour'
      returning *
    ), attempt as (
      select a.lock_seconds from c, ${callFunction('app.count_attempt', { p_key: callFunction('app.attempt_key', { p_kind: 'email_change', p_name: newEmail }), p_max: 3 })} a
    ), dropped_links as (
      delete from deliveries d using users u, c
       where u.id = c.user_id and d.account_id = u.account_id and d.user_id = u.id and d.purpose = 'change_email' and d.state in ('pending', 'retrying')
    ), link as (
      insert into deliveries (account_id, channel, recipient, purpose, user_id)
      select u.account_id, 'email', c.new_email, 'change_email', u.id from c join users u on u.id = c.user_id, attempt where attempt.lock_seconds is null
      returning id
    )
    select c.new_email, c.created_at, c.expires_at, (select id from link) as link_delivery_id,
           app.record_factor_change(c.user_id, c.user_id, 'email_change.requested', ${ip}, 'email_change_requested') as notice_delivery_id
      from c`,
)

export function selectChange(db: PlatformDb, userId: string): Promise<EmailChange | undefined> {
  return db
    .selectFrom('email_changes')
    .select(['new_email', 'created_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export async function deleteChange(db: PlatformDb, userId: string): Promise<void> {
  await db.deleteFrom('email_changes').where('user_id', '=', userId).execute()
}

/**
 * Use a token: change the address and mark it as verified. Revoke an open invite of the account to it. Insert
 * the audit entry and the notice to the old address. Return undefined for a token that is not valid. Violates
 * `users_email` if the address is taken.
 */
export const confirmChange = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (hash: string, ip: string) => sql`
    with used_token as (
      update one_time_tokens set used_at = app.now()
       where hash = ${hash}::bytea and purpose = 'change_email' and used_at is null and expires_at > app.now() returning email_change_id
    ), c as (
      delete from email_changes c using used_token t, users u
       where c.id = t.email_change_id and c.expires_at > app.now() and u.id = c.user_id and u.is_active
      returning u.id as user_id, u.account_id, c.new_email,
                app.record_factor_change(u.id, u.id, 'email_change.confirmed', ${ip}, 'email_changed') as delivery_id
    ), changed_user as (
      update users u set email = c.new_email, email_verified_at = app.now() from c where u.id = c.user_id
    ), revoked_invite as (
      update invites i set revoked_at = app.now() from c
       where i.account_id = c.account_id and lower(i.email) = lower(c.new_email) and i.accepted_at is null and i.revoked_at is null
    )
    select delivery_id from c`,
)
