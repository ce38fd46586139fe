-- The queue of the Node platform. The library graphile-worker creates and upgrades its own tables when the service starts, as app_platform.
-- On Cloudflare, which publishes to QStash, everything here stays empty. This file can be run again, see "Plain PostgreSQL" in README.md.

-- The owner of the database creates objects for app_platform.
grant app_platform to current_user;

create schema if not exists graphile_worker authorization app_platform;
-- Without this table the library runs `create schema if not exists`. That needs a privilege on the whole database, even if the schema exists.
-- https://worker.graphile.org/docs/schema
create table if not exists graphile_worker.migrations (
  id       int primary key,
  ts       timestamptz not null default now(),
  breaking boolean not null default false
);
alter table graphile_worker.migrations owner to app_platform;

-- The deduplication ids of recent messages. Unlogged: after a crash of the server a duplicate may run, and finds its work done.
create unlogged table if not exists queue_message_ids (
  id         text primary key,
  expires_at timestamptz not null
);
grant select, insert, update, delete on queue_message_ids to app_platform;

-- How many jobs are locked for longer than the four hours after which the library releases those of a killed process, or of a server that was
-- started again. The library's tables are missing until its first start.
create or replace function app.count_stuck_jobs() returns integer language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  found integer;
begin
  if to_regclass('graphile_worker.jobs') is null then
    return 0;
  end if;
  execute $query$select count(*)::integer from graphile_worker.jobs where locked_at < now() - interval '4 hours 30 minutes'$query$ into found;
  return found;
end $$;
revoke execute on function app.count_stuck_jobs() from app_runtime;
