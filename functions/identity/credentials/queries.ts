import { type Expression, type SqlBool, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { bytea, now } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'

/** Return the password hash and the e-mail address of a user; undefined for a user without a password. */
export function selectPassword(
  db: PlatformDb,
  userId: string,
): Promise<{ hash: string; email: string } | undefined> {
  return db
    .selectFrom('users as u')
    .innerJoin('passwords as p', 'p.user_id', 'u.id')
    .select(['p.hash', 'u.email'])
    .where('u.id', '=', userId)
    .executeTakeFirst()
}

/** Return the address of a user, and the password hash if there is one. */
export const selectCredentials = readStatement(
  z.object({ email: z.string(), hash: z.string().nullable() }),
  (userId: string) =>
    sql`select u.email, p.hash from users u left join passwords p on p.user_id = u.id where u.id = ${userId}`,
)

/** The e-mail about a new password. */
const PasswordNotice = z.object({ delivery_id: z.string().nullable() })

/**
 * Replace the password hash `oldHash`, reset `must_change_password`, and insert the audit entry and the e-mail.
 * The database then ends every other sign-in. Change nothing and return no row if the stored hash is no longer
 * `oldHash`.
 */
export const replacePassword = writeStatement(
  PasswordNotice,
  ({
    userId,
    signInId,
    oldHash,
    newHash,
    ip,
  }: {
    userId: string
    signInId: string
    oldHash: string
    newHash: string
    ip: string
  }) => sql`
    with kept as materialized (
      select set_config('app.kept_sign_in', ${signInId}, true) as sign_in_id
    ), updated_password as (
      update passwords set hash = ${newHash}, changed_at = app.now() from kept
       where user_id = ${userId} and hash = ${oldHash} and kept.sign_in_id <> '' returning user_id
    ), updated_user as (
      update users set must_change_password = false from updated_password p where users.id = p.user_id
    )
    select app.record_factor_change(user_id, user_id, 'password.changed', ${ip}, 'password_changed') as delivery_id from updated_password`,
)

/**
 * Use a verification token and mark the user's address as verified. Return false for a used, expired or
 * unknown token.
 */
export const verifyEmail = writeStatement(
  null,
  (hash: string) => sql`
    with used_token as (
      update one_time_tokens set used_at = app.now()
       where hash = ${hash}::bytea and purpose = 'verify_email' and used_at is null and expires_at > app.now() returning user_id
    ), updated_user as (
      update users set email_verified_at = coalesce(email_verified_at, app.now()) from used_token where users.id = used_token.user_id
    )
    select from used_token`,
)

function insertMail(
  db: PlatformDb,
  purpose: 'verify_email' | 'reset_password',
  isRecipient: Expression<SqlBool>,
) {
  return db
    .insertInto('deliveries')
    .columns(['account_id', 'channel', 'recipient', 'purpose', 'user_id'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select([
          'account_id',
          sql.lit('email' as const).as('channel'),
          'email',
          sql.lit(purpose).as('purpose'),
          'id',
        ])
        .where(isRecipient),
    )
    .returning('id')
    .executeTakeFirst()
}

/** Insert the delivery of a verification e-mail. Return undefined if the address is verified already. */
export function insertVerificationMail(db: PlatformDb, userId: string): Promise<{ id: string } | undefined> {
  return insertMail(db, 'verify_email', sql<boolean>`id = ${userId} and email_verified_at is null`)
}

/**
 * Count a request for a reset link. Return the remaining lock time in seconds if the address has too many.
 */
export const countResetRequest = writeStatement(
  z.object({ lock_seconds: z.int().nullable() }),
  (email: string) =>
    sql`select lock_seconds from ${callFunction('app.count_attempt', { p_key: callFunction('app.attempt_key', { p_kind: 'reset', p_name: email }), p_max: 3 })}`,
)

/**
 * Insert the delivery of a reset e-mail. Return undefined if no active user has the address, or if their
 * password signs in no more.
 */
export function insertResetMail(db: PlatformDb, email: string): Promise<{ id: string } | undefined> {
  return insertMail(
    db,
    'reset_password',
    sql<boolean>`lower(email) = lower(${email}) and is_active and (role = 'admin' or not app.needs_sso(users))`,
  )
}

/**
 * Return the user of a valid reset token without using the token. Return undefined for an invalid token and
 * for a deactivated user.
 */
export function selectResetToken(
  db: PlatformDb,
  hash: string,
): Promise<{ user_id: string; email: string; is_refused: boolean } | undefined> {
  return db
    .selectFrom('one_time_tokens as t')
    .innerJoin('users as u', 'u.id', 't.user_id')
    .select(['u.id as user_id', 'u.email'])
    .select(sql<boolean>`u.role <> 'admin' and app.needs_sso(u)`.as('is_refused'))
    .where('t.hash', '=', bytea(hash))
    .where('t.purpose', '=', 'reset_password')
    .where('t.used_at', 'is', null)
    .where('t.expires_at', '>', now)
    .where('u.is_active', '=', true)
    .executeTakeFirst()
}

/**
 * Use a reset token: set the password, which ends the other reset tokens, revoke every sign-in, unlock the
 * address and reset `must_change_password`. Mark the address as verified, because following the link proves
 * that the user owns it. Insert the audit entry and the e-mail. If the address was unverified until now, delete linked identities, passkeys and the
 * authenticator app, and revoke their API keys, because they could belong to someone else. Return
 * no row for a used, expired or unknown token.
 */
export const resetPassword = writeStatement(
  PasswordNotice,
  (hash: string, passwordHash: string, ip: string) => sql`
    with used_token as (
      update one_time_tokens set used_at = app.now()
       where hash = ${hash}::bytea and purpose = 'reset_password' and used_at is null and expires_at > app.now() returning user_id
    ), upserted_password as (
      insert into passwords (user_id, hash) select user_id, ${passwordHash} from used_token
      on conflict (user_id) do update set hash = excluded.hash, changed_at = app.now()
    ), unproven as (
      select u.id, u.account_id from used_token used join users u on u.id = used.user_id where u.email_verified_at is null
    ), deleted_identities as (
      delete from identities i using unproven u where i.user_id = u.id
    ), deleted_passkeys as (
      delete from passkeys p using unproven u where p.user_id = u.id
    ), deleted_totp as (
      delete from totp_factors f using unproven u where f.user_id = u.id
    ), revoked_keys as (
      update api_keys k set revoked_at = app.now() from unproven u where k.account_id = u.account_id and k.created_by = u.id and k.revoked_at is null
    ), ended_sign_ins as (
      update sign_ins s set ended_at = app.now() from used_token used where s.user_id = used.user_id and s.ended_at is null
    ), updated_user as (
      update users u set must_change_password = false, email_verified_at = coalesce(u.email_verified_at, app.now()) from used_token used
       where u.id = used.user_id returning u.email
    ), deleted_attempts as (
      delete from sign_in_attempts a using updated_user u where a.key = app.attempt_key('address', u.email)
    )
    select app.record_factor_change(user_id, user_id, 'password.reset', ${ip}, 'password_changed') as delivery_id from used_token`,
)
