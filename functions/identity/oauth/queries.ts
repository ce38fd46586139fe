import { bytea, now } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'
import type { Provider } from './schemas.ts'

export interface State {
  hash: string
  provider: Provider | 'sso'
  /** The connection of an organisation, of the provider `sso`. */
  connectionId: string | null
  /** The sign-in to which an identity will be linked, or null for a flow that signs in. */
  signInId: string | null
}

interface NewState extends State {
  codeVerifier: string
  nonce: string
}

export async function insertState(
  db: PlatformDb,
  { hash, provider, connectionId, codeVerifier, nonce, signInId }: NewState,
): Promise<void> {
  await db
    .insertInto('oauth_states')
    .values({
      hash: bytea(hash),
      provider,
      connection_id: connectionId,
      code_verifier: codeVerifier,
      nonce,
      sign_in_id: signInId,
    })
    .execute()
}

/**
 * Use a state for the provider and the sign-in it was created for. Return undefined for a used, expired or
 * unknown state.
 */
export function claimState(db: PlatformDb, { hash, provider, connectionId, signInId }: State) {
  return db
    .updateTable('oauth_states')
    .set({ used_at: now })
    .where('hash', '=', bytea(hash))
    .where('provider', '=', provider)
    .where('connection_id', 'is not distinct from', connectionId)
    .where('sign_in_id', 'is not distinct from', signInId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['code_verifier', 'nonce'])
    .executeTakeFirst()
}

export async function selectUserId(
  db: PlatformDb,
  provider: Provider,
  subject: string,
): Promise<string | undefined> {
  const identity = await db
    .selectFrom('identities')
    .select('user_id')
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return identity?.user_id
}
