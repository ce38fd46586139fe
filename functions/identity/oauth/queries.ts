import { sql } from 'kysely'
import type { PlatformDb } from '../../../lib/db/scope.ts'
import type { Provider } from './schemas.ts'

interface NewState {
  hash: string
  provider: Provider
  codeVerifier: string
  nonce: string
}

export async function insertState(db: PlatformDb, { hash, provider, codeVerifier, nonce }: NewState): Promise<void> {
  await sql`
    insert into oauth_states (hash, provider, code_verifier, nonce) values (${hash}::bytea, ${provider}, ${codeVerifier}, ${nonce})`.execute(
    db,
  )
}

/** Use a state for the provider it was created for. Return undefined for a used, expired or unknown state. */
export async function claimState(db: PlatformDb, hash: string, provider: Provider) {
  const { rows } = await sql<{ code_verifier: string; nonce: string }>`
    update oauth_states set used_at = app.now()
     where hash = ${hash}::bytea and provider = ${provider} and used_at is null and expires_at > app.now()
    returning code_verifier, nonce`.execute(db)
  return rows[0]
}

export async function selectUserId(db: PlatformDb, provider: Provider, subject: string): Promise<string | undefined> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id from identities where provider = ${provider} and subject = ${subject}`.execute(db)
  return rows[0]?.user_id
}
