import { sql } from 'kysely'
import type { PlatformDb } from '../../../lib/db/scope.ts'

export async function selectPassword(db: PlatformDb, userId: string) {
  const { rows } = await sql<{ hash: string; email: string }>`
    select p.hash, u.email from users u join passwords p on p.user_id = u.id where u.id = ${userId}`.execute(db)
  return rows[0]
}

/** Replaces exactly the password that was checked, lifts the guard and ends every other sign-in. False when it changed meanwhile. */
export async function replacePassword(
  db: PlatformDb,
  change: { userId: string; signInId: string; before: string; after: string },
): Promise<boolean> {
  const { rows } = await sql`
    with p as (
      update passwords set hash = ${change.after}, changed_at = app.now() where user_id = ${change.userId} and hash = ${change.before} returning user_id
    ), u as (
      update users set must_change_password = false from p where users.id = p.user_id
    ), s as (
      update sign_ins set ended_at = app.now() from p where sign_ins.user_id = p.user_id and sign_ins.id <> ${change.signInId} and ended_at is null
    )
    select from p`.execute(db)
  return rows.length > 0
}

/** Uses a verification token, once. */
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

/** Owes the caller a new verification mail; undefined when the address is verified already. */
export async function insertVerificationMail(db: PlatformDb, userId: string): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into deliveries (account_id, channel, recipient, purpose, user_id)
    select account_id, 'email', email, 'verify_email', id from users where id = ${userId} and email_verified_at is null
    returning id`.execute(db)
  return rows[0]
}

/** Owes a link to choose a new password, where the address is somebody's; the same work either way. */
export async function insertResetMail(db: PlatformDb, email: string): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into deliveries (account_id, channel, recipient, purpose, user_id)
    select account_id, 'email', email, 'reset_password', id from users where lower(email) = lower(${email}) and is_active
    returning id`.execute(db)
  return rows[0]
}

/** Whose reset token this is while it works; it is not used by looking. */
export async function selectResetToken(db: PlatformDb, hash: string): Promise<{ user_id: string; email: string } | undefined> {
  const { rows } = await sql<{ user_id: string; email: string }>`
    select u.id as user_id, u.email from one_time_tokens t join users u on u.id = t.user_id
     where t.hash = ${hash}::bytea and t.purpose = 'reset_password' and t.used_at is null and t.expires_at > app.now() and u.is_active`.execute(
    db,
  )
  return rows[0]
}

/**
 * Uses a reset token, once: sets the password, ends every sign-in, lifts lock and guard, and kills the other tokens of the kind. Whoever
 * follows the mail owns the address; an identity that came while nobody had proved that may be a stranger's, and goes.
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
