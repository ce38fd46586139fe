-- Who may do what in the database, and the one clock every rule about time reads.
-- The runtime role owns nothing and cannot bypass row level security; the platform role can, and is used through
-- one named door only. Their passwords are set by the migration runner, never here.
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
    execute format('alter role %I set lock_timeout = ''2s''', r);
    execute format('alter role %I set idle_in_transaction_session_timeout = ''10s''', r);
  end loop;
end $$;

revoke create on schema public from public;
grant usage on schema public, app to app_runtime, app_platform;
-- Not `in schema app`: only the global default holds what everybody gets.
alter default privileges revoke execute on functions from public;
alter default privileges in schema app grant execute on functions to app_runtime, app_platform;

-- Replaced under `npm start` by one that can be moved; everything that is due, expires or lapses asks it.
create function app.now() returns timestamptz language sql stable parallel safe as 'select now()';

-- Which account, and who, the current statement acts for. Null outside a scope: after a commit the setting is '', not null.
create function app.account_id() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.account_id', true), '')::uuid $$;
create function app.user_id() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.user_id', true), '')::uuid $$;
-- The fixed account that owns whatever belongs to the platform.
create function app.platform_account() returns uuid language sql immutable parallel safe
  as $$ select '00000000-0000-7000-8000-000000000001'::uuid $$;
-- A time as the API writes it: RFC 3339, UTC, milliseconds.
create function app.iso(t timestamptz) returns text language sql stable parallel safe
  as $$ select to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
revoke execute on all functions in schema app from public;
grant execute on all functions in schema app to app_runtime, app_platform;
