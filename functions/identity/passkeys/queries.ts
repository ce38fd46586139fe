import { sql } from 'kysely'
import * as z from 'zod'
import { bytea, now } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { Passkey } from './schemas.ts'

const passkeyColumns = ['id', 'name', 'created_at', 'last_used_at'] as const

export function selectPasskeys(db: PlatformDb, userId: string): Promise<Passkey[]> {
  return db
    .selectFrom('passkeys')
    .select(passkeyColumns)
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Return a user and the ids of the credentials of the user's passkeys. */
export async function selectOwner(db: PlatformDb, userId: string) {
  const user = await db
    .selectFrom('users')
    .select(['email', 'full_name'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const passkeys = await db
    .selectFrom('passkeys')
    .select('credential_id')
    .where('user_id', '=', userId)
    .execute()
  return { ...user, credentialIds: passkeys.map(({ credential_id }) => credential_id) }
}

/** Insert a challenge. `userId` is null for a sign-in, whose user is not known yet. */
export async function insertChallenge(db: PlatformDb, hash: string, userId: string | null): Promise<void> {
  await db
    .insertInto('passkey_challenges')
    .values({ hash: bytea(hash), user_id: userId })
    .execute()
}

/** Use a challenge of this user, or of a sign-in. Return false if it is unknown, used or expired. */
export const claimChallenge = writeStatement(
  null,
  (hash: string, userId: string | null) => sql`
    delete from passkey_challenges where hash = ${hash}::bytea and user_id is not distinct from ${userId}::uuid and expires_at > app.now()`,
)

interface Registration {
  userId: string
  signInId: string
  ip: string
  name: string
  credentialId: string
  publicKey: string
  counter: number
  transports: string[]
  recoveryCodeHashes: string[]
}

/**
 * Insert a passkey, mark the sign-in as verified, and insert the recovery codes unless the user has unused
 * ones. Also insert the audit entry and the e-mail. Violates `passkeys_credential_id_key` for a credential
 * that is registered already.
 */
export const insertPasskey = writeStatement(
  Passkey.extend({ delivery_id: z.string().nullable(), recovery_code_count: z.int() }),
  (r: Registration) => sql`
    with verified_sign_in as (
      update sign_ins set second_factor_at = app.now() where id = ${r.signInId} and user_id = ${r.userId}
    ), k as (
      insert into passkeys (user_id, name, credential_id, public_key, counter, transports)
      values (${r.userId}, ${r.name}, ${r.credentialId}, ${r.publicKey}, ${r.counter}, ${r.transports}::text[]) returning *
    ), codes as (
      insert into recovery_codes (user_id, hash)
      select ${r.userId}::uuid, hash::bytea from unnest(${r.recoveryCodeHashes}::text[]) hash
       where not exists (select from recovery_codes where user_id = ${r.userId} and used_at is null) returning hash
    )
    select k.id, k.name, k.created_at, k.last_used_at, (select count(*)::integer from codes) as recovery_code_count,
           app.record_factor_change(k.user_id, k.user_id, 'passkey.added', ${r.ip}, 'second_factor_added') as delivery_id
      from k`,
)

export function selectPasskey(db: PlatformDb, credentialId: string) {
  return db
    .selectFrom('passkeys')
    .select(['id', 'user_id', 'credential_id', 'public_key', sql<number>`counter::float8`.as('counter')])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
}

/** Store the counter of a signature. Return false if a later signature was stored meanwhile. */
export async function updateCounter(db: PlatformDb, id: string, counter: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', id)
    .where(sql<boolean>`(counter < ${counter} or (counter = 0 and ${counter} = 0))`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Rename a passkey of the user and insert the audit entry. Return undefined for an unknown one. */
export const renamePasskey = writeStatement(
  Passkey.extend({ delivery_id: z.string().nullable() }),
  (userId: string, id: string, name: string, ip: string) => sql`
    with k as (update passkeys set name = ${name} where id = ${id} and user_id = ${userId} returning *)
    select k.id, k.name, k.created_at, k.last_used_at,
           app.record_factor_change(k.user_id, k.user_id, 'passkey.renamed', ${ip}, null) as delivery_id from k`,
)

/**
 * Delete a passkey unless the user could not sign in without it, and insert the audit entry and the e-mail.
 * Lock the user before.
 */
export const deletePasskey = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (userId: string, id: string, ip: string) => sql`
    with k as (delete from passkeys where id = ${id} and user_id = ${userId} and app.has_other_sign_in(user_id, null, id) returning user_id)
    select app.record_factor_change(k.user_id, k.user_id, 'passkey.removed', ${ip}, 'second_factor_removed') as delivery_id from k`,
)
