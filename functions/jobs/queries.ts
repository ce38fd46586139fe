import { sql } from 'kysely'
import type { DB } from '../../lib/db/schema.ts'
import { writeStatement } from '../../lib/db/statement.ts'

/** Rows that are deleted some time after `column`. Some stay for up to 30 days after they expire, so that support can look at them. */
export interface Expiry {
  table: keyof DB
  column: string
  keptFor: string
  /** Rows of one batch, if fewer than usual. */
  maxBatch?: number
}

export const expiries: readonly Expiry[] = [
  { table: 'idempotency_keys', column: 'created_at', keptFor: '24 hours' },
  // A sign-in takes its refresh tokens with it, up to a thousand.
  { table: 'sign_ins', column: 'expires_at', keptFor: '30 days', maxBatch: 100 },
  { table: 'oauth_states', column: 'expires_at', keptFor: '1 day' },
  { table: 'flow_conversations', column: 'expires_at', keptFor: '0 days' },
  { table: 'sign_in_attempts', column: 'expires_at', keptFor: '0 days' },
  { table: 'sign_in_challenges', column: 'expires_at', keptFor: '0 days' },
  { table: 'passkey_challenges', column: 'expires_at', keptFor: '0 days' },
  { table: 'stream_tickets', column: 'expires_at', keptFor: '0 days' },
  { table: 'oauth_codes', column: 'expires_at', keptFor: '1 day' },
  // Kept for as long as its second use should end the grant.
  { table: 'oauth_refresh_tokens', column: 'used_at', keptFor: '30 days' },
  // A program takes its refresh tokens with it. Their grants end by themselves.
  { table: 'oauth_clients', column: 'expires_at', keptFor: '0 days', maxBatch: 100 },
  // The provider remembers the key of a call for 24 hours.
  { table: 'mail_batches', column: 'created_at', keptFor: '2 days' },
  { table: 'mail_counts', column: 'day', keptFor: '30 days' },
  { table: 'ai_calls', column: 'created_at', keptFor: '400 days' },
  { table: 'ai_tasks', column: 'created_at', keptFor: '24 hours' },
  { table: 'webhook_deliveries', column: 'created_at', keptFor: '30 days' },
  { table: 'one_time_tokens', column: 'expires_at', keptFor: '30 days' },
]

/** Delete up to `limit` expired rows of one table. Skip rows that another call is deleting. */
export const deleteExpired = writeStatement(
  null,
  ({ table, column, keptFor }: Expiry, limit: number) => sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} < app.now() - ${keptFor}::interval limit ${limit} for update skip locked))`,
)
