import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { expiries } from '../../lib/db/retention.ts'
import { writeStatement } from '../../lib/db/statement.ts'

/** Delete up to `limit` expired rows of one table. Skip rows that another call is deleting. */
export const deleteExpired = writeStatement(null, ({ table, column, keptFor, where }: (typeof expiries)[number], limit: number) => {
  const condition = where ? sql`and ${sql.raw(where)}` : sql``
  const select = (keptFor: RawBuilder<unknown>) => sql`
    select ctid from ${sql.table(table)} where ${sql.ref(`${table}.${column}`)} < app.now() - ${keptFor} ${condition}
     limit ${limit} for update skip locked`
  const selected =
    typeof keptFor === 'string'
      ? select(sql`${keptFor}::interval`)
      : // Each account is a short read of an index that starts with the account.
        sql`select e.ctid from accounts a cross join lateral (
              ${select(sql`make_interval(days => ${sql.ref(`a.${keptFor.setting}`)}) and ${sql.ref(`${table}.account_id`)} = a.id`)}) e
             limit ${limit}`
  return sql`delete from ${sql.table(table)} where ctid = any (array(${selected}))`
})

/** Delete up to `limit` old entries of the audit log. */
export const deleteAuditLogs = writeStatement(
  z.object({ deleted: z.int() }),
  (limit: number) => sql`select app.delete_audit_logs(${limit}::integer) as deleted`,
)

/** Delete the messages and steps of up to `limit` sessions that ended long ago. Return the number of sessions. */
export const deleteAiMessages = writeStatement(
  null,
  (limit: number) => sql`
    with old as materialized (
      select e.account_id, e.id from accounts a cross join lateral (
        select s.account_id, s.id from ai_sessions s
         where s.account_id = a.id and s.last_activity_at < app.now() - make_interval(days => a.ai_message_days)
           and s.status in ('resolved', 'abandoned', 'archived')
           and (s.messages_deleted_at is null or s.messages_deleted_at < s.last_activity_at)
         limit ${limit} for update skip locked) e
       limit ${limit}
    ), deleted_messages as (
      delete from ai_messages m using old where m.account_id = old.account_id and m.session_id = old.id
    ), deleted_steps as (
      delete from ai_steps t using old where t.account_id = old.account_id and t.session_id = old.id
    )
    update ai_sessions s set messages_deleted_at = app.now() from old where s.account_id = old.account_id and s.id = old.id`,
)

/** Replace the text of up to `limit` pushes. Their ticket has it. */
export const clearPushBodies = writeStatement(
  null,
  (limit: number) => sql`
    update psa_pushes set body = '[deleted]' where ctid = any (array(
      select ctid from psa_pushes
       where state = 'pushed' and body <> '[deleted]' and pushed_at < app.now() - interval '90 days' limit ${limit} for update skip locked))`,
)
