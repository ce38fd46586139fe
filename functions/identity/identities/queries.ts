import { sql } from 'kysely'
import * as z from 'zod'
import { releaseIdentity } from '#db/rows/identities.ts'
import type { PlatformDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { Provider } from '#functions/identity/oauth/schemas.ts'
import { LinkedIdentity } from './schemas.ts'

export function selectIdentities(db: PlatformDb, userId: string) {
  return db
    .selectFrom('identities')
    .select(['provider', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('provider')
    .execute()
}

export function selectIdentity(db: PlatformDb, userId: string, provider: Provider, subject: string) {
  return db
    .selectFrom('identities')
    .select(['provider', 'created_at'])
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

interface NewIdentity {
  userId: string
  provider: Provider
  subject: string
  ip: string
}

/**
 * Insert an identity, its audit entry and the e-mail to the user. Violates `identities_pkey` if the identity
 * is linked, and `identities_user_id_provider_key` if the user has another one of the provider.
 */
export const insertIdentity = writeStatement(
  LinkedIdentity.extend({ delivery_id: z.string().nullable() }),
  ({ userId, provider, subject, ip }: NewIdentity) => sql`
    with released as (${releaseIdentity(provider, subject)}), i as (
      insert into identities (provider, subject, user_id) select ${provider}, ${subject}, ${userId} from (select count(*) from released) r returning *)
    select provider, created_at, app.record_factor_change(user_id, user_id, 'identity.linked', ${ip}, 'identity_linked') as delivery_id from i`,
)

/**
 * Delete an identity unless the user could not sign in without it, and insert the audit entry and the e-mail.
 * Lock the user before.
 */
export const deleteIdentity = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (userId: string, provider: Provider, ip: string) => sql`
    with i as (
      delete from identities where user_id = ${userId} and provider = ${provider} and app.has_other_sign_in(user_id, provider, null) returning user_id
    )
    select app.record_factor_change(user_id, user_id, 'identity.unlinked', ${ip}, 'identity_unlinked') as delivery_id from i`,
)
