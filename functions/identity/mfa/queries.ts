import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'

/** The database's clock in seconds since 1970, to which codes are compared. */
const nowSeconds = sql`extract(epoch from app.now())::float8 as now_seconds`

export const selectState = readStatement(
  z.object({
    totp_enabled: z.boolean(),
    passkeys: z.int(),
    recovery_codes_left: z.int(),
    is_required_by_account: z.boolean(),
    is_super_admin: z.boolean(),
    verified_at: z.string().nullable(),
  }),
  (userId: string, signInId: string) => sql`
    select exists (select from totp_factors f where f.user_id = u.id and f.confirmed_at is not null) as totp_enabled,
           (select count(*)::integer from passkeys k where k.user_id = u.id) as passkeys,
           (select count(*)::integer from recovery_codes r where r.user_id = u.id and r.used_at is null) as recovery_codes_left,
           a.require_mfa as is_required_by_account, u.is_super_admin, s.second_factor_at as verified_at
      from users u join accounts a on a.id = u.account_id join sign_ins s on s.id = ${signInId} and s.user_id = u.id
     where u.id = ${userId}`,
)

/**
 * Insert or replace the secret of an authenticator app that is not confirmed yet. Return the user's address,
 * or undefined if one is confirmed.
 */
export const upsertTotp = writeStatement(
  z.object({ email: z.string() }),
  (userId: string, sealedSecret: string) => sql`
    with f as (
      insert into totp_factors as f (user_id, secret) values (${userId}, ${sealedSecret})
      on conflict (user_id) do update set secret = excluded.secret, created_at = app.now() where f.confirmed_at is null returning user_id
    )
    select u.email from f join users u on u.id = f.user_id`,
)

/** Return the sealed secret of a user's authenticator app, confirmed or not; undefined without one. */
export const selectTotp = readStatement(
  z.object({ secret: z.string(), is_confirmed: z.boolean(), now_seconds: z.number() }),
  (userId: string) => sql`
    select secret, confirmed_at is not null as is_confirmed, ${nowSeconds} from totp_factors where user_id = ${userId}`,
)

interface Confirmation {
  userId: string
  signInId: string
  ip: string
  /** The sealed secret that was verified. */
  secret: string
  step: number
  recoveryCodeHashes: string[]
}

/**
 * Confirm an authenticator app, mark the sign-in as verified, and insert the recovery codes unless the user
 * has unused ones. Also insert the audit entry and the e-mail. Return undefined if the secret is confirmed
 * already or was replaced.
 */
export const confirmTotp = writeStatement(
  z.object({ delivery_id: z.string().nullable(), recovery_code_count: z.int() }),
  (c: Confirmation) => sql`
    with f as (
      update totp_factors set confirmed_at = app.now(), last_step = ${c.step}
       where user_id = ${c.userId} and secret = ${c.secret} and confirmed_at is null returning user_id
    ), verified_sign_in as (
      update sign_ins s set second_factor_at = app.now() from f where s.id = ${c.signInId} and s.user_id = f.user_id
    ), codes as (
      insert into recovery_codes (user_id, hash)
      select f.user_id, hash::bytea from f, unnest(${c.recoveryCodeHashes}::text[]) hash
       where not exists (select from recovery_codes r where r.user_id = f.user_id and r.used_at is null) returning hash
    )
    select app.record_factor_change(f.user_id, f.user_id, 'totp.enabled', ${c.ip}, 'second_factor_added') as delivery_id,
           (select count(*)::integer from codes) as recovery_code_count
      from f`,
)

/**
 * Delete the confirmed authenticator app, and insert the audit entry and the e-mail. Return undefined without
 * one.
 */
export const deleteTotp = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (userId: string, ip: string) => sql`
    with f as (delete from totp_factors where user_id = ${userId} and confirmed_at is not null returning user_id)
    select app.record_factor_change(f.user_id, f.user_id, 'totp.removed', ${ip}, 'second_factor_removed') as delivery_id from f`,
)

/**
 * Replace the recovery codes of a user with a second factor, and insert the audit entry. Return undefined
 * without a second factor.
 */
export const replaceRecoveryCodes = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (userId: string, hashes: string[], ip: string) => sql`
    with u as (
      select id from users where id = ${userId} and has_second_factor for no key update
    ), deleted_codes as (
      delete from recovery_codes r using u where r.user_id = u.id
    ), inserted_codes as (
      insert into recovery_codes (user_id, hash) select u.id, hash::bytea from u, unnest(${hashes}::text[]) hash
    )
    select app.record_factor_change(u.id, u.id, 'recovery_codes.created', ${ip}, null) as delivery_id from u`,
)

/** Use a time step of the authenticator app. Return false if a code of this step or a later one was used. */
export const useTotpStep = writeStatement(
  null,
  (userId: string, step: number) => sql`
    update totp_factors set last_step = ${step}
     where user_id = ${userId} and confirmed_at is not null and (last_step is null or last_step < ${step})`,
)

/** Use a recovery code and insert the audit entry. Return undefined for a wrong or used one. */
export const useRecoveryCode = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (userId: string, hash: string, ip: string) => sql`
    with r as (
      update recovery_codes set used_at = app.now() where user_id = ${userId} and hash = ${hash}::bytea and used_at is null returning user_id
    )
    select app.record_factor_change(r.user_id, r.user_id, 'recovery_code.used', ${ip}, null) as delivery_id from r`,
)

const Attempt = z.object({
  user_id: z.string(),
  has_second_factor: z.boolean(),
  /** The sealed secret of the authenticator app. */
  secret: z.string().nullable(),
  now_seconds: z.number(),
  lock_seconds: z.int().nullable(),
  is_last: notNull<boolean>(),
})

/**
 * Count an attempt at a challenge, 10 per user. Return undefined for a challenge that is unknown, used or
 * expired.
 */
export const countChallengeAttempt = writeStatement(
  Attempt,
  (hash: string) => sql`
    with c as materialized (
      select c.user_id, u.has_second_factor from sign_in_challenges c join users u on u.id = c.user_id and u.is_active
       where c.hash = ${hash}::bytea and c.expires_at > app.now()
    )
    select c.user_id, c.has_second_factor, f.secret, ${nowSeconds}, a.lock_seconds, a.is_last
      from c left join totp_factors f on f.user_id = c.user_id and f.confirmed_at is not null,
           app.count_attempt(app.attempt_key('challenge', c.user_id::text), 10) a`,
)

/** Count an attempt at a step-up, 10 per sign-in. */
export const countStepUpAttempt = writeStatement(
  Attempt,
  (userId: string, signInId: string) => sql`
    select u.id as user_id, u.has_second_factor, f.secret, ${nowSeconds}, a.lock_seconds, a.is_last
      from users u left join totp_factors f on f.user_id = u.id and f.confirmed_at is not null,
           app.count_attempt(app.attempt_key('step-up', ${signInId}), 10) a
     where u.id = ${userId}`,
)

/** Mark a sign-in as verified and forget its attempts. */
export const completeStepUp = writeStatement(
  null,
  (userId: string, signInId: string) => sql`
    with deleted_attempts as (delete from sign_in_attempts where key = app.attempt_key('step-up', ${signInId}))
    update sign_ins set second_factor_at = app.now() where id = ${signInId} and user_id = ${userId}`,
)

/** Insert the audit entry of too many wrong codes. */
export const insertLockAudit = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (userId: string, ip: string) =>
    sql`select ${callFunction('app.record_factor_change', {
      p_user: userId,
      p_actor: userId,
      p_action: 'second_factor.locked',
      p_ip: ip,
      p_purpose: null,
    })} as delivery_id`,
)
