import { sql } from 'kysely'
import type { PlatformDb } from '../../../lib/db/scope.ts'

/** Return the password hash and the e-mail address of a user; undefined for a user without a password. */
export async function selectPassword(db: PlatformDb, userId: string) {
  const { rows } = await sql<{ hash: string; email: string }>`
    select p.hash, u.email from users u join passwords p on p.user_id = u.id where u.id = ${userId}`.execute(db)
  return rows[0]
}

/**
 * Replace the password hash `oldHash`, lift the guard for a due change and revoke every other sign-in of the user. Return false, and
 * changes nothing, if the stored hash is no longer `oldHash`.
 */
export async function replacePassword(
  db: PlatformDb,
  { userId, signInId, oldHash, newHash }: { userId: string; signInId: string; oldHash: string; newHash: string },
): Promise<boolean> {
  const { rows } = await sql`
    with p as (
      update passwords set hash = ${newHash}, changed_at = app.now() where user_id = ${userId} and hash = ${oldHash} returning user_id
    ), u as (
      update users set must_change_password = false from p where users.id = p.user_id
    ), s as (
      update sign_ins set ended_at = app.now() from p where sign_ins.user_id = p.user_id and sign_ins.id <> ${signInId} and ended_at is null
    )
    select from p`.execute(db)
  return rows.length > 0
}

/** Use a verification token and mark the user's address as verified. Return false for a used, expired or unknown token. */
export async function verifyEmail(db: PlatformDb, hash: string): Promise<boolean> {
  const { rows } = await sql`
    with used as (
      update one_time_tokens set used_at = app.now()
       where hash = ${hash}::bytea and purpose = 'verify_email' and used_at is null and expires_at > app.now() returning user_id
    ), u as (
      update users set email_verified_at = coalesce(email_verified_at, app.now()) from used where users.id = used.user_id
    )
    select from used`.execute(db)
  return rows.length > 0
}

/** Insert the delivery of a verification e-mail. Return undefined if the address is verified already. */
export async function insertVerificationMail(db: PlatformDb, userId: string): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into deliveries (account_id, channel, recipient, purpose, user_id)
    select account_id, 'email', email, 'verify_email', id from users where id = ${userId} and email_verified_at is null
    returning id`.execute(db)
  return rows[0]
}

/** Insert the delivery of a reset e-mail. Return undefined for an unknown address; the statement takes as long then. */
export async function insertResetMail(db: PlatformDb, email: string): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into deliveries (account_id, channel, recipient, purpose, user_id)
    select account_id, 'email', email, 'reset_password', id from users where lower(email) = lower(${email}) and is_active
    returning id`.execute(db)
  return rows[0]
}

/** Return the user of a reset token without using it; undefined if it no longer works. */
export async function selectResetToken(db: PlatformDb, hash: string): Promise<{ user_id: string; email: string } | undefined> {
  const { rows } = await sql<{ user_id: string; email: string }>`
    select u.id as user_id, u.email from one_time_tokens t join users u on u.id = t.user_id
     where t.hash = ${hash}::bytea and t.purpose = 'reset_password' and t.used_at is null and t.expires_at > app.now() and u.is_active`.execute(
    db,
  )
  return rows[0]
}

/**
 * Use a reset token: set the password, revoke every sign-in, lift the lock and the guard for a due change, and invalidate the user's other
 * reset tokens. Following the link proves that the user owns the address. If the address was unverified until now, an identity
 * linked before could belong to someone else, so it is deleted. Return false for a used, expired or unknown token.
 */
export async function resetPassword(db: PlatformDb, hash: string, passwordHash: string): Promise<boolean> {
  const { rows } = await sql`
    with used as (
      update one_time_tokens set used_at = app.now()
       where hash = ${hash}::bytea and purpose = 'reset_password' and used_at is null and expires_at > app.now() returning user_id
    ), p as (
      insert into passwords (user_id, hash) select user_id, ${passwordHash} from used
      on conflict (user_id) do update set hash = excluded.hash, changed_at = app.now()
    ), others as (
      update one_time_tokens t set used_at = app.now() from used
       where t.user_id = used.user_id and t.purpose = 'reset_password' and t.used_at is null and t.hash <> ${hash}::bytea
    ), unproved as (
      delete from identities i using used, users before
       where i.user_id = used.user_id and before.id = used.user_id and before.email_verified_at is null
    ), s as (
      update sign_ins s set ended_at = app.now() from used where s.user_id = used.user_id and s.ended_at is null
    ), u as (
      update users u set must_change_password = false, email_verified_at = coalesce(u.email_verified_at, app.now()) from used
       where u.id = used.user_id returning u.email
    ), unlocked as (
      delete from login_failures f using u where f.email = lower(u.email)
    )
    select from used`.execute(db)
  return rows.length > 0
}
