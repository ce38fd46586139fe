import { sql } from 'kysely'
import { jsonb } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'

/** The columns of an entry of the audit log, of `audit_logs as l` and `users as actor`. */
export const auditColumns = [
  // Each entry that is committed has a number.
  sql<number>`l.sequence`.as('sequence'),
  'l.id',
  'l.account_id',
  'l.actor_id',
  'actor.full_name as actor_name',
  'l.action',
  'l.resource_type',
  'l.resource_id',
  sql<Record<string, never>>`l.changes`.as('changes'),
  'l.ip',
  'l.created_at',
] as const

/** Who did something, and from where. */
export interface Actor {
  accountId: string
  userId: string
  ip: string
}

interface Entry {
  action: string
  resource_type: string
  resource_id?: string
  changes?: object
}

/** Insert an entry of what changes no row that triggers audit. */
export async function insertAuditEntry(
  db: PlatformDb,
  { accountId, userId, ip }: Actor,
  { changes, ...entry }: Entry,
): Promise<void> {
  await db
    .insertInto('audit_logs')
    .values({
      ...entry,
      ...(changes ? { changes: jsonb(changes) } : {}),
      account_id: accountId,
      actor_id: userId,
      ip,
    })
    .execute()
}
