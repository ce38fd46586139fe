-- The database roles, the tenant context that every policy reads, and the procedure that protects a tenant table.
-- `app_runtime` serves requests, owns nothing and cannot bypass row level security. `app_platform` bypasses it, for work that crosses
-- accounts. The migration runner sets their passwords.
create schema app;

do $$ begin
  create role app_runtime nologin nosuperuser nocreatedb nocreaterole;
exception when duplicate_object then null; end $$;
do $$ begin
  create role app_platform nologin nosuperuser nocreatedb nocreaterole bypassrls;
exception when duplicate_object then null; end $$;

do $$ declare r text; begin
  foreach r in array array['app_runtime', 'app_platform'] loop
    execute format('alter role %I set timezone = ''UTC''', r);
    execute format('alter role %I set statement_timeout = ''5s''', r);
    -- A request that waits for another one's transaction should learn its outcome, so it waits nearly as long as a statement may take.
    execute format('alter role %I set lock_timeout = ''4s''', r);
    execute format('alter role %I set idle_in_transaction_session_timeout = ''10s''', r);
  end loop;
end $$;

revoke create on schema public from public;
grant usage on schema public, app to app_runtime, app_platform;
-- Only the global default can revoke what PostgreSQL grants to everyone; a default `in schema` can only add to it.
alter default privileges revoke execute on functions from public;
alter default privileges in schema app grant execute on functions to app_runtime, app_platform;

create extension if not exists pg_trgm with schema public;
create extension if not exists btree_gin with schema public;

-- The clock of every rule about time. The local database replaces it by one that tests can move.
create function app.now() returns timestamptz language sql stable parallel safe as 'select now()';

-- The account and the user that the current statement acts for; null outside a scope. After a commit a setting is '', not null.
create function app.account_id() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.account_id', true), '')::uuid $$;
create function app.user_id() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.user_id', true), '')::uuid $$;
create function app.role() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.role', true), '') $$;
create function app.team_id() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.team_id', true), '')::uuid $$;

-- The account that owns the platform's content, and the user who is its author. Nobody can sign in as that user.
create function app.platform_account() returns uuid language sql immutable parallel safe
  as $$ select '00000000-0000-7000-8000-000000000001'::uuid $$;
create function app.service_user() returns uuid language sql immutable parallel safe
  as $$ select '00000000-0000-7000-8000-000000000002'::uuid $$;

-- Formats a time as the API writes it: RFC 3339, UTC, milliseconds.
create function app.iso(t timestamptz) returns text language sql stable parallel safe
  as $$ select to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- Enables and forces row level security on a table with an `account_id`. Without `writes`, one policy `own` gives a scope all rows of its
-- account. With `writes` (of insert, update and delete), each of these commands is limited to rows of the account, and the migration adds a
-- policy `reads` that says who sees a row. With '{}' the migration adds every policy.
create procedure app.protect(tenant_table regclass, writes text[] default null) language plpgsql as $$
declare
  own constant text := '(account_id = app.account_id())';
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  if writes is null then
    execute format('create policy own on %s using %s with check %2$s', tenant_table, own);
  end if;
  if 'insert' = any (writes) then
    execute format('create policy adds on %s for insert with check %s', tenant_table, own);
  end if;
  if 'update' = any (writes) then
    execute format('create policy changes on %s for update using %s with check %2$s', tenant_table, own);
  end if;
  if 'delete' = any (writes) then
    execute format('create policy removes on %s for delete using %s', tenant_table, own);
  end if;
end $$;
revoke execute on procedure app.protect(regclass, text[]) from app_runtime, app_platform;
