import { sql } from 'kysely'

/** The columns of an entry of the audit log, of `audit_logs as l` and `users as actor`. */
export const auditColumns = [
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
