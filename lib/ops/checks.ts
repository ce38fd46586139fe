import { expiries } from '#db/retention.ts'
import { workTables } from '#db/work-kinds.ts'

/** The result of one check. */
export interface Finding {
  name: string
  remedy: string
  isWarning: boolean
  isAboutWork?: true | undefined
  /** Empty if nothing is wrong. */
  problems: string[]
}

/**
 * A check of the database. Each row that the statement returns is a problem, with its description in
 * `problem`.
 */
export interface Check {
  name: string
  /** What the operator should do about it. */
  remedy: string
  /** A warning does not make the command fail. */
  isWarning?: true
  /** Looks at work that waits. A restored database has the work of the time of its backup. */
  isAboutWork?: true
  sql: string
}

/** Return a statement about the open rows of every outbox. `condition` refers to their columns. */
function forEachOutbox(condition: string, text: string): string {
  const parts = workTables.map(
    ({ name, initial }) => `
      select '${name}: ' || count(*) || ' ${text}, oldest ' || to_char(min(created_at), 'YYYY-MM-DD HH24:MI') as problem from ${name}
       where state in ('${initial}', 'retrying') and ${condition} having count(*) > 0`,
  )
  return parts.join(' union all ')
}

/**
 * Return a statement about the rows that a sweep should have deleted a day ago. An account decides how long
 * some are kept.
 */
function selectOverdue({ table, column, keptFor, where }: (typeof expiries)[number]): string {
  const time =
    typeof keptFor === 'string'
      ? `interval '${keptFor}'`
      : `(select make_interval(days => a.${keptFor.setting}) from accounts a where a.id = ${table}.account_id)`
  return `select '${table}: rows since ' || to_char(min(${column}), 'YYYY-MM-DD HH24:MI') || ' are left' as problem from ${table}
           where ${column} < app.now() - ${time} - interval '1 day' ${where ? `and ${where}` : ''} having count(*) > 0`
}

export const checks: readonly Check[] = [
  {
    name: 'PostgreSQL is new enough',
    remedy: 'The service needs PostgreSQL 16 or later.',
    sql: `select 'version ' || current_setting('server_version') as problem where current_setting('server_version_num')::integer < 160000`,
  },
  {
    name: 'the clock of the rules is that of PostgreSQL',
    remedy: 'Only a local database may move app.now(). Create it again as migrations/0001_tenancy.sql does.',
    sql: `select 'app.now() is ' || round(extract(epoch from app.now() - now())) || ' s ahead' as problem
           where abs(extract(epoch from app.now() - now())) > 1`,
  },
  {
    name: 'row level security holds on every table that requests read',
    remedy: 'Run `call app.protect(…)` for the table in a migration.',
    sql: `select c.relname as problem from pg_class c
           where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_any_column_privilege('app_runtime', c.oid, 'select, insert, update')
             and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped)
             and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))
           order by 1`,
  },
  {
    name: 'the roles have no more rights than they need',
    remedy: 'Correct the role with `alter role`, and never connect the service as another role.',
    sql: `select rolname || ' has ' || concat_ws(', ', case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
                   case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
                   case when rolbypassrls and rolname = 'app_runtime' then 'bypassrls' end) as problem
            from pg_roles where rolname in ('app_runtime', 'app_platform')
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or (rolbypassrls and rolname = 'app_runtime'))
          union all
          select 'app_platform has no bypassrls' from pg_roles where rolname = 'app_platform' and not rolbypassrls
          union all
          select r || ' may create temporary tables' from unnest(array['app_runtime', 'app_platform']) r
           where has_database_privilege(r, current_database(), 'temporary')
          union all
          select r || ' may create objects in ' || s from unnest(array['app_runtime', 'app_platform']) r, unnest(array['public', 'app']) s
           where has_schema_privilege(r, s, 'create')
          union all
          select m.roleid::regrole || ' is granted to ' || m.member::regrole from pg_auth_members m
           where m.member in ('app_runtime'::regrole, 'app_platform'::regrole)`,
  },
  {
    name: 'every index is valid',
    remedy: '`reindex index concurrently` builds it again.',
    sql: `select indexrelid::regclass::text as problem from pg_index i join pg_class c on c.oid = i.indexrelid
           where c.relnamespace = 'public'::regnamespace and not (i.indisvalid and i.indisready)`,
  },
  {
    name: 'every foreign key has an index that begins with one of its columns',
    remedy:
      'Create the index with `concurrently`. Without it, deleting a row of the other table reads the whole table.',
    isWarning: true,
    sql: `select c.conrelid::regclass || ' (' || c.conname || ')' as problem from pg_constraint c
           where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
             select from pg_index i where i.indrelid = c.conrelid and i.indisvalid and i.indkey[0] = any (c.conkey))
           order by 1`,
  },
  {
    name: 'every constraint was checked against the rows that were there before it',
    remedy: '`alter table … validate constraint …` reads the table once and does not block writes.',
    isWarning: true,
    sql: `select conrelid::regclass || '.' || conname as problem from pg_constraint
           where connamespace = 'public'::regnamespace and not convalidated order by 1`,
  },
  {
    name: 'no lease of an attempt is stuck',
    remedy: 'The sweep takes such rows after a minute. Look whether the cron trigger runs.',
    isAboutWork: true,
    sql: forEachOutbox(`leased_until < app.now() - interval '15 minutes'`, 'attempts that never ended'),
  },
  {
    name: 'what is due was attempted',
    remedy: 'Look at the queue, at `/ready`, and whether the cron trigger runs.',
    isAboutWork: true,
    sql: forEachOutbox(
      `next_attempt_at < app.now() - interval '15 minutes' and (leased_until is null or leased_until < app.now())`,
      'rows that have been due for 15 minutes',
    ).replace(
      'from webhook_deliveries',
      'from (select d.* from webhook_deliveries d join webhooks w on w.id = d.webhook_id and w.is_active and coalesce(w.paused_until, app.now()) <= app.now()) d',
    ),
  },
  {
    name: 'no job of the queue in PostgreSQL is stuck',
    remedy:
      'The library releases jobs of a killed process, or of a restart of PostgreSQL, after 4 hours. Look whether the periodic work runs. No work is lost: it is a row.',
    isWarning: true,
    isAboutWork: true,
    sql: `select app.count_stuck_jobs() || ' jobs are locked for more than 4.5 hours' as problem where app.count_stuck_jobs() > 0`,
  },
  {
    name: 'old rows are deleted when their time is over',
    remedy:
      'Look for `deletion_failed` in the log, and at the sweeps `delete_…` in the metrics that are unfinished each minute.',
    isAboutWork: true,
    sql: expiries.map(selectOverdue).join(' union all '),
  },
  {
    name: 'messages of the last day reached their channel',
    remedy:
      'See `last_error` in `deliveries`, `webhook_deliveries` and `psa_pushes`. Channels, webhooks and ticketing systems belong to the accounts, which see these failures too.',
    isWarning: true,
    isAboutWork: true,
    sql: `select channel || ': ' || count(*) filter (where state = 'failed') || ' of ' || count(*) || ' failed' as problem from (
            select channel, state from deliveries where created_at > app.now() - interval '1 day' and (state <> 'failed' or attempts > 0)
            union all select 'webhook', state from webhook_deliveries where created_at > app.now() - interval '1 day'
            union all select 'ticket note', state from psa_pushes where created_at > app.now() - interval '1 day') d
           group by channel having count(*) filter (where state = 'failed') > 0 order by 1`,
  },
  {
    name: 'no e-mail of today or yesterday was left out',
    remedy:
      'The account has reached `max_mails_per_day` of its plan, or nobody has verified the address of the sender.',
    isWarning: true,
    isAboutWork: true,
    sql: `select 'account ' || account_id || ': ' || sum(refused) || ' left out, ' || sum(sent) || ' allowed' as problem from mail_counts
           where day >= date_trunc('day', app.now(), 'UTC') - interval '1 day' and refused > 0 group by account_id order by sum(refused) desc, 1`,
  },
  {
    name: 'schedules have run when they were due',
    remedy: 'Look whether the cron trigger runs, and at the error of the last run.',
    isAboutWork: true,
    sql: `select 'maintenance_schedules: ' || count(*) || ' due since ' || to_char(min(next_run_at), 'YYYY-MM-DD HH24:MI') as problem
            from maintenance_schedules where is_active and next_run_at < app.now() - interval '15 minutes' having count(*) > 0`,
  },
  {
    name: 'erasures and deletions end',
    remedy:
      'Look for `erasure_failed` and `deletion_failed` in the log: a vendor may be away, or a key may lack a right.',
    sql: `select 'the erasure of account ' || id || ' began ' || to_char(started_at, 'YYYY-MM-DD HH24:MI') as problem
            from account_erasures where finished_at is null and started_at < app.now() - interval '6 hours'
          union all
          select 'account ' || id || ' should have been erased ' || to_char(deletes_at, 'YYYY-MM-DD HH24:MI')
            from accounts where erasing_at is null and deletes_at < app.now() - interval '15 minutes'
          union all
          select count(*) || ' objects wait for their deletion since ' || to_char(min(deleted_at), 'YYYY-MM-DD HH24:MI')
            from deleted_objects where deleted_at < app.now() - interval '1 day' having count(*) > 0`,
  },
  {
    name: 'every account has an active admin',
    remedy: 'Make a member an admin, or delete the account.',
    isWarning: true,
    sql: `select 'account ' || a.id as problem from accounts a
           where a.id <> app.platform_account() and exists (select from users u where u.account_id = a.id and not u.is_service)
             and not exists (select from users u where u.account_id = a.id and u.role = 'admin' and u.is_active) order by 1 limit 20`,
  },
  {
    name: 'autovacuum keeps up',
    remedy: 'Lower the thresholds of the table, and look for old transactions.',
    isWarning: true,
    sql: `select relname || ': ' || n_dead_tup || ' dead rows beside ' || n_live_tup as problem from pg_stat_user_tables
           where n_dead_tup > 100000 and n_dead_tup > n_live_tup
          union all
          select 'a transaction of ' || usename || ' is open since ' || to_char(xact_start, 'YYYY-MM-DD HH24:MI') from pg_stat_activity
           where datname = current_database() and xact_start < now() - interval '1 hour'`,
  },
]
