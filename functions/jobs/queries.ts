import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import type { expiries } from '#db/retention.ts'
import type { PlatformDb } from '#db/scope.ts'
import { notNull, writeStatement } from '#db/statement.ts'
import { toDigest } from '#work/pushes.ts'

/** Delete up to `limit` expired rows of one table. Skip rows that another call is deleting. */
export const deleteExpired = writeStatement(
  null,
  ({ table, column, keptFor, where }: (typeof expiries)[number], limit: number) => {
    const condition = where ? sql`and ${sql.raw(where)}` : sql``
    const select = (keptFor: RawBuilder<unknown>) => sql`
    select ctid from ${sql.table(table)} where ${sql.ref(`${table}.${column}`)} < app.now() - ${keptFor} ${condition}
     limit ${limit} for update skip locked`
    const expiredRows =
      typeof keptFor === 'string'
        ? select(sql`${keptFor}::interval`)
        : // Each account is a short read of an index that starts with the account.
          sql`select e.ctid from accounts a cross join lateral (
              ${select(sql`make_interval(days => ${sql.ref(`a.${keptFor.setting}`)}) and ${sql.ref(`${table}.account_id`)} = a.id`)}) e
             limit ${limit}`
    return sql`delete from ${sql.table(table)} where ctid = any (array(${expiredRows}))`
  },
)

/** Delete up to `limit` old entries of the audit log. */
export const deleteAuditLogs = writeStatement(
  z.object({ deleted: z.int() }),
  (limit: number) => sql`select ${callFunction('app.delete_audit_logs', { p_limit: limit })} as deleted`,
)

/**
 * Delete the messages, steps, script runs and their approvals of up to `limit` sessions that ended long ago. Return the number
 * of sessions.
 */
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
    ), deleted_script_runs as (
      delete from script_runs r using old where r.account_id = old.account_id and r.ai_session_id = old.id
    ), deleted_approvals as (
      delete from approvals p using old where p.account_id = old.account_id and p.ai_session_id = old.id
    )
    update ai_sessions s set messages_deleted_at = app.now() from old where s.account_id = old.account_id and s.id = old.id`,
)

/**
 * Replace the text of up to `limit` pushes. Their ticket has it. The digest of a text that was mailed stays,
 * so that it is not mailed again.
 */
export const clearPushBodies = writeStatement(
  null,
  (limit: number) => sql`
    update psa_pushes
       set body = '[deleted]', details = details - 'summary' #- '{mailed,name}' #- '{mailed,address}'
             || case when details ? 'notify' then jsonb_build_object('digest', ${toDigest(sql`body`)}) else '{}' end
     where ctid = any (array(
      select ctid from psa_pushes
       where state = 'pushed' and body <> '[deleted]' and pushed_at < app.now() - interval '90 days' limit ${limit} for update skip locked))`,
)

/** Erase up to `limit` traces of each kind of a user who was anonymised. Return whether there may be more. */
export const eraseUserTraces = writeStatement(
  z.object({ has_more: notNull<boolean>() }),
  (limit: number) => sql`select ${callFunction('app.continue_user_erasure', { p_limit: limit })} as has_more`,
)

/**
 * Delete up to `limit` uploads that nothing uses, a week after they were sent. A trigger has their objects
 * deleted.
 */
export const deleteUnusedUploads = writeStatement(
  null,
  (limit: number) => sql`
    delete from uploads where ctid = any (array(
      select u.ctid from uploads u
       where u.created_at < app.now() - interval '7 days'
         and not exists (select from ai_message_uploads m where m.account_id = u.account_id and m.upload_id = u.id)
         and not exists (select from session_supporting_data d where d.account_id = u.account_id and d.upload_id = u.id)
         and not exists (select from session_evidence e where e.account_id = u.account_id and e.upload_id = u.id)
         and not exists (select from teams t where t.account_id = u.account_id and t.branding_logo_upload_id = u.id)
       limit ${limit} for update of u skip locked))`,
)

/** Select up to `limit` objects whose row was deleted. */
export function selectDeletedObjects(db: PlatformDb, limit: number): Promise<{ object_key: string }[]> {
  return db.selectFrom('deleted_objects').select('object_key').orderBy('deleted_at').limit(limit).execute()
}

export const forgetDeletedObjects = writeStatement(
  null,
  (keys: readonly string[]) => sql`delete from deleted_objects where object_key = any (${keys}::text[])`,
)

/**
 * Delete up to `limit` versions of flows that were deleted 90 days ago, except those that a session has run.
 */
export const deleteOldVersions = writeStatement(
  null,
  (limit: number) => sql`
    delete from tree_versions where ctid = any (array(
      select v.ctid from trees t join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id
       where t.deleted_at < app.now() - interval '90 days'
         and not exists (select from sessions s where s.tree_account_id = v.account_id and s.tree_id = v.tree_id and s.tree_version = v.version)
       limit ${limit} for update of v skip locked))`,
)

/**
 * Delete up to `limit` deleted flows without versions that nothing refers to. Lookups take 1 ms to plan, and
 * joins with all these tables 13.
 */
export const deleteOldTrees = writeStatement(
  null,
  (limit: number) => sql`
    delete from trees where ctid = any (array(
      select t.ctid from trees t
       where t.deleted_at < app.now() - interval '90 days'
         and (select true from tree_versions v where v.account_id = t.account_id and v.tree_id = t.id limit 1) is null
         and (select true from ai_sessions s where s.tree_account_id = t.account_id and s.tree_id = t.id limit 1) is null
         and (select true from session_custom_steps c where c.tree_account_id = t.account_id and c.tree_id = t.id limit 1) is null
         and (select true from flow_proposals p where p.account_id = t.account_id and p.target_tree_id = t.id limit 1) is null
         and (select true from kb_imports i where i.account_id = t.account_id and i.tree_id = t.id limit 1) is null
         and (select true from maintenance_schedules m where m.account_id = t.account_id and m.tree_id = t.id limit 1) is null
         and (select true from trees f where f.parent_account_id = t.account_id and f.parent_tree_id = t.id limit 1) is null
         and (select true from trees f where f.root_account_id = t.account_id and f.root_tree_id = t.id and f.id <> t.id limit 1) is null
       limit ${limit} for update of t skip locked))`,
)
