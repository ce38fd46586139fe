import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, bytea, now } from '#db/expressions.ts'
import { userColumns } from '#db/rows/signed-in-user.ts'
import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { type NewSignIn, SignedInUser } from './schemas.ts'

export function selectSignIns(db: ReadDb, userId: string, currentId: string) {
  return db
    .selectFrom('sign_ins')
    .select([
      'id',
      'user_agent',
      'ip',
      'created_at',
      'last_used_at',
      sql<boolean>`id = ${currentId}`.as('current'),
    ])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

export async function revokeSignIn(db: WriteDb, userId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sign_ins')
    .set({ ended_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function lockUser(db: PlatformDb, userId: string): Promise<void> {
  await db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/** Revoke every sign-in and every device token of a user. */
export const revokeAll = writeStatement(
  null,
  (userId: string) => sql`
    with ended_device_tokens as (
      update passwords set device_generation = device_generation + 1 where user_id = ${userId}
    )
    update sign_ins s set ended_at = app.now() from users u
     where u.id = ${userId} and s.account_id = u.account_id and s.user_id = u.id and s.ended_at is null`,
)

/**
 * Revoke the sign-in of a refresh token that was used more than 5 seconds ago. Return whether the token was
 * used that long ago, even if the sign-in had already ended.
 */
export const revokeByReusedToken = writeStatement(
  null,
  (hash: string) => sql`
    with reused_token as (
      select sign_in_id from refresh_tokens where hash = ${hash}::bytea and used_at < app.now() - interval '5 seconds'
    ), ended_sign_in as (
      update sign_ins s set ended_at = app.now() from reused_token reused where s.id = reused.sign_in_id and s.ended_at is null
    )
    select from reused_token`,
)

/** Revoke the sign-in of a refresh token, used or not. */
export async function revokeByToken(db: PlatformDb, hash: string): Promise<void> {
  await db
    .updateTable('sign_ins as s')
    .from('refresh_tokens as r')
    .set({ ended_at: now })
    .where('r.hash', '=', bytea(hash))
    .whereRef('s.id', '=', 'r.sign_in_id')
    .where('s.ended_at', 'is', null)
    .execute()
}

/** A password that was verified: its hash, and what the attempt was counted for. */
export interface VerifiedPassword {
  hash: string
  /** The known device, or null if the attempt was counted for the address. */
  deviceId: string | null
}

/** What a user has proved: the password, or an identity at a provider, such as that of the organisation. */
export type FirstFactor =
  | { kind: 'password'; password: VerifiedPassword }
  | { kind: 'identity' }
  | { kind: 'sso' }
/** A passkey is two factors: the device and the PIN or fingerprint that unlocks it. */
export type Proof = FirstFactor | { kind: 'passkey' }

const selectPassword = (userId: string, proof: Proof) => sql`
  select device_generation from passwords
   where user_id = ${userId} and hash = ${proof.kind === 'password' ? proof.password.hash : null} for share`

/** Delete the attempts that were counted for a verified password. */
const deleteAttempts = ({ deviceId }: VerifiedPassword) => sql`
  delete from sign_in_attempts a using u
   where a.key = ${deviceId === null ? sql`app.attempt_key('address', u.email)` : sql`app.attempt_key('device', ${deviceId})`}`

/** Build the clauses that insert a sign-in and its first refresh token for the user of the clause `u`. */
const buildSignInClauses = (
  { refreshHash, userAgent, ip }: NewSignIn,
  method: RawBuilder<unknown>,
  hasSecondFactor: boolean,
) => sql`
  s as (
    insert into sign_ins (account_id, user_id, user_agent, ip, expires_at, method, second_factor_at)
    select account_id, id, ${userAgent}, ${ip}, app.now() + interval '30 days', ${method}, ${hasSecondFactor ? sql`app.now()` : null}::timestamptz
      from u returning id
  ), inserted_token as (
    insert into refresh_tokens (hash, sign_in_id) select ${refreshHash}::bytea, id from s
  )`

const conditions = {
  password: sql`not has_second_factor and exists (select from p)`,
  identity: sql`not has_second_factor`,
  sso: sql`not has_second_factor`,
  passkey: sql`true`,
}

const NewSignedInUser = SignedInUser.extend({
  device_generation: z.int().nullable(),
  device_id: z.string().nullable(),
})

/**
 * Insert a sign-in. For a password, also forget the attempts. Return undefined for a deactivated user, for a
 * password that was replaced since it was verified, and for a user who needs a second factor.
 */
export const insertSignIn = writeStatement(
  NewSignedInUser,
  (userId: string, proof: Proof, signIn: NewSignIn) => sql`
    with p as (${selectPassword(userId, proof)}), u as (
      update users u set last_login_at = app.now() where id = ${userId} and is_active and ${conditions[proof.kind]} returning *
    ), ${buildSignInClauses(signIn, sql`${proof.kind}`, proof.kind === 'passkey')}
    ${proof.kind === 'password' ? sql`, deleted_attempts as (${deleteAttempts(proof.password)})` : sql``}
    select ${userColumns}, s.id as sign_in_id, (select device_generation from p) as device_generation,
           ${proof.kind === 'password' ? proof.password.deviceId : null}::uuid as device_id
      from u join accounts a on a.id = u.account_id, s`,
)

/**
 * Insert a challenge for the second factor of an active user, and forget the attempts of a password. Return
 * which factors the user has, or undefined if the user has none or the password was replaced since it was
 * verified.
 */
export const insertChallenge = writeStatement(
  z.object({ has_totp: z.boolean(), has_recovery_codes: z.boolean(), has_passkeys: z.boolean() }),
  (hash: string, userId: string, proof: FirstFactor) => sql`
    with p as (${selectPassword(userId, proof)}), u as (
      select id, email from users where id = ${userId} and is_active and has_second_factor
         and ${proof.kind === 'password' ? sql`exists (select from p)` : sql`true`} for share
    ), inserted_challenge as (
      insert into sign_in_challenges (hash, user_id, device_id, is_password, is_sso)
      select ${hash}::bytea, id, ${proof.kind === 'password' ? proof.password.deviceId : null}::uuid, ${proof.kind === 'password'}, ${proof.kind === 'sso'} from u
    ) ${proof.kind === 'password' ? sql`, deleted_attempts as (${deleteAttempts(proof.password)})` : sql``}
    select exists (select from totp_factors f where f.user_id = u.id and f.confirmed_at is not null) as has_totp,
           exists (select from recovery_codes r where r.user_id = u.id and r.used_at is null) as has_recovery_codes,
           exists (select from passkeys k where k.user_id = u.id) as has_passkeys
      from u`,
)

/**
 * Use a challenge whose second factor was verified, insert a sign-in and forget the attempts. Return
 * undefined for a challenge that was used or has expired, and for a deactivated user.
 */
export const completeChallenge = writeStatement(
  NewSignedInUser,
  (hash: string, userId: string, signIn: NewSignIn) => sql`
    with c as (
      delete from sign_in_challenges c where hash = ${hash}::bytea and user_id = ${userId} and expires_at > app.now()
      returning device_id, app.method_of(c) as method
    ), u as (
      update users u set last_login_at = app.now() from c where u.id = ${userId} and u.is_active returning u.*, c.method
    ), ${buildSignInClauses(signIn, sql`u.method`, true)}, deleted_attempts as (
      delete from sign_in_attempts a using u where a.key = app.attempt_key('challenge', u.id::text)
    )
    select ${userColumns}, s.id as sign_in_id, p.device_generation, c.device_id
      from u join accounts a on a.id = u.account_id left join passwords p on p.user_id = u.id and u.method = 'password', s, c`,
)
