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
    execute format('alter role %I set idle_in_transaction_session_timeout = ''10s''', r);
  end loop;
end $$;
-- A request that waits for a lock holds a connection that others need, so it soon answers that it can be repeated. A job has the time.
alter role app_runtime set lock_timeout = '1s';
alter role app_platform set lock_timeout = '4s';

revoke create on schema public from public;
grant usage on schema public, app to app_runtime, app_platform;
-- Only the global default can revoke what PostgreSQL grants to everyone; a default `in schema` can only add to it.
alter default privileges revoke execute on functions from public;
alter default privileges in schema app grant execute on functions to app_runtime, app_platform;

-- A temporary table could shadow one of ours, and fill the disk.
do $$ begin
  execute format('revoke temporary on database %I from public', current_database());
end $$;

-- Large objects belong to no account. Only a superuser can take these rights away; see README.md.
do $$ begin
  revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;
exception when insufficient_privilege then null; end $$;

-- PostgreSQL has uuidv7() from 18 on, and uuid_extract_timestamp() from 17 on. As there, ids have 12 bits of the time below a millisecond.
do $$ begin
  if to_regprocedure('pg_catalog.uuidv7()') is null then
    create function public.uuidv7(shift interval default '0') returns uuid language sql volatile parallel safe as $function$
      select (lpad(to_hex(t.us / 1000), 12, '0') || '7' || lpad(to_hex(t.us % 1000 * 4096 / 1000), 3, '0')
              || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
        from (select floor(extract(epoch from clock_timestamp() + shift) * 1000000)::bigint as us) t
    $function$;
    grant execute on function public.uuidv7(interval) to app_runtime, app_platform;
  end if;
  if to_regprocedure('pg_catalog.uuid_extract_timestamp(uuid)') is null then
    create function public.uuid_extract_timestamp(id uuid) returns timestamptz language sql immutable strict parallel safe as $function$
      select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) where substr(id::text, 15, 1) = '7'
    $function$;
    grant execute on function public.uuid_extract_timestamp(uuid) to app_runtime, app_platform;
  end if;
end $$;

create extension if not exists pg_trgm with schema public;
create extension if not exists btree_gin with schema public;

-- Columns of times have milliseconds. PostgreSQL rounds a time to them, up or down, so a column that was set to `now()` could be up to half a
-- millisecond in the future, and what was due at once was not due yet for the next statement. A clock that is rounded alike cannot differ.
create function app.real_time() returns timestamptz language sql stable parallel safe as 'select now()::timestamptz(3)';

-- The clock of every rule about time. The local database replaces it by one that tests can move.
create function app.now() returns timestamptz language sql stable parallel safe as 'select app.real_time()';

-- The tenant context: whom the current statement acts for. It is one setting, `app.scope`: a signature of 44 characters, then the account,
-- user, role, team, role in the team and client address, with a space before each. It is signed, because every role may set a setting. These
-- functions return null outside a scope. (After a commit a setting is '', not null.)
create function app.account_id() returns uuid language sql stable parallel safe
  as $$ select nullif(split_part(current_setting('app.scope', true), ' ', 2), '')::uuid $$;
create function app.user_id() returns uuid language sql stable parallel safe
  as $$ select nullif(split_part(current_setting('app.scope', true), ' ', 3), '')::uuid $$;
create function app.role() returns text language sql stable parallel safe
  as $$ select nullif(split_part(current_setting('app.scope', true), ' ', 4), '') $$;
create function app.team_id() returns uuid language sql stable parallel safe
  as $$ select nullif(split_part(current_setting('app.scope', true), ' ', 5), '')::uuid $$;
create function app.team_role() returns text language sql stable parallel safe
  as $$ select nullif(split_part(current_setting('app.scope', true), ' ', 6), '') $$;
create function app.client_address() returns text language sql stable parallel safe
  as $$ select nullif(split_part(current_setting('app.scope', true), ' ', 7), '') $$;

-- The key of the signatures. It never leaves the database, and a signature is worth nothing in another transaction.
create table app.signing_key (key bytea not null);
insert into app.signing_key select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- The keys of the settings with which this database was used, as fingerprints. In `public`, so that a dump has them: whoever restores it
-- learns which keys it needs.
create table key_fingerprints (
  setting       text not null check (setting in ('JWT_KEYS', 'CREDENTIALS_KEY')),
  -- The `kid` or the version, to find the key in a password store.
  id            text not null,
  fingerprint   text not null check (length(fingerprint) = 32),
  first_seen_at timestamptz(3) not null default app.now(),
  primary key (setting, fingerprint)
);

-- Compares the keys of a setting with those of this database. Returns null if one of them is known, or none is known yet; otherwise the ids of
-- those that are. With `p_stores`, those of the setting are then the known ones: a rotation adds a key before it removes the old one, so the
-- processes of two neighbouring steps share one.
create function app.check_keys(p_setting text, p_ids text[], p_fingerprints text[], p_stores boolean) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  known text[];
begin
  -- The second time after the lock, because another process may have stored its keys meanwhile.
  for attempt in 1 .. 2 loop
    known := array(select k.fingerprint from public.key_fingerprints k where k.setting = p_setting);
    if known <> '{}' and not known && p_fingerprints then
      return (select string_agg(format('"%s" of %s', k.id, to_char(k.first_seen_at, 'YYYY-MM-DD')), ', ' order by k.first_seen_at, k.id)
                from public.key_fingerprints k where k.setting = p_setting);
    end if;
    -- A server that takes no writes still answers reads; a later process stores them.
    if not p_stores or session_user not in ('app_runtime', 'app_platform') or current_setting('transaction_read_only')::boolean
       or (known @> p_fingerprints and p_fingerprints @> known) then
      return null;
    end if;
    if attempt = 1 then
      lock table public.key_fingerprints in share row exclusive mode;
    end if;
  end loop;
  delete from public.key_fingerprints k where k.setting = p_setting and k.fingerprint <> all (p_fingerprints);
  insert into public.key_fingerprints (setting, id, fingerprint) select p_setting, n.id, n.fingerprint
    from unnest(p_ids, p_fingerprints) n (id, fingerprint) on conflict do nothing;
  return null;
end $$;

-- Raises what a write would raise on a standby, or on a server that its provider has set to read only. Such a server answers each read.
create function app.require_writable() returns void language plpgsql stable as $$
begin
  if current_setting('transaction_read_only')::boolean then
    raise exception 'the server takes no writes' using errcode = 'read_only_sql_transaction';
  end if;
end $$;

-- Signs a text for the current transaction. Only the owner reads the key, so only security definer functions can sign. They have a fixed
-- search_path already, and a second one would cost as much as the signature.
create function app.sign(p_text text) returns text language plpgsql stable parallel safe as $$
declare
  k bytea;
begin
  select key into strict k from app.signing_key;
  return encode(sha256(k || sha256(k || timestamptz_send(transaction_timestamp()) || convert_to(p_text, 'UTF8'))), 'base64');
end $$;

-- Sets the tenant context of the transaction, and signs it.
create function app.set_scope(p_account uuid, p_user uuid, p_role text, p_team uuid, p_team_role text, p_address text) returns void
language plpgsql as $$
declare
  scope constant text := concat(' ', p_account, ' ', p_user, ' ', p_role, ' ', p_team, ' ', p_team_role, ' ', p_address);
begin
  perform set_config('app.scope', app.sign(scope) || scope, true);
end $$;
revoke execute on function app.sign(text), app.set_scope(uuid, uuid, text, uuid, text, text) from app_runtime, app_platform;

-- The account of the tenant context; null outside a scope. Raises insufficient_privilege if anything but `app.set_scope` set the context.
create function app.signed_account_id() returns uuid
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  scope constant text := current_setting('app.scope', true);
  k bytea;
begin
  if scope is null or scope = '' then
    return null;
  end if;
  -- As app.sign does. A call of it would take half as long again, and every statement comes here.
  select key into strict k from app.signing_key;
  if left(scope, 44)
     <> encode(sha256(k || sha256(k || timestamptz_send(transaction_timestamp()) || convert_to(substr(scope, 45), 'UTF8'))), 'base64') then
    raise exception 'the tenant context is not signed' using errcode = 'insufficient_privilege';
  end if;
  return app.account_id();
end $$;

-- Raises an error outside a signed scope. Every security definer function that uses the tenant context starts with it, because policies do
-- not apply to its owner.
create function app.require_scope() returns void
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if app.signed_account_id() is null then
    raise exception 'there is no tenant context' using errcode = 'insufficient_privilege';
  end if;
end $$;

-- The account that owns the platform's content, and the user who is its author. Nobody can sign in as that user.
create function app.platform_account() returns uuid language sql immutable parallel safe
  as $$ select '00000000-0000-7000-8000-000000000001'::uuid $$;
create function app.service_user() returns uuid language sql immutable parallel safe
  as $$ select '00000000-0000-7000-8000-000000000002'::uuid $$;

-- Formats a time as the API writes it: RFC 3339, UTC, milliseconds.
-- Raises SF409 when the first statement of a batch matched no row, so that the batch is rolled back.
create function app.require_row(p_is_found boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not p_is_found then
    raise exception 'the row was changed or does not exist' using errcode = 'SF409';
  end if;
end $$;

-- Cases are those of Unicode in every database, whatever its locale. PostgreSQL has pg_c_utf8 from 17 on.
do $$ begin
  execute format('create collation app.cases from pg_catalog.%I',
    case when exists (select from pg_collation where collname = 'pg_c_utf8') then 'pg_c_utf8' else 'und-x-icu' end);
end $$;

-- Returns a text as a reader sees it: without invisible characters and marks that writers leave out, in one Unicode form and width, with plain
-- hyphens, apostrophes, quotes and blanks. These functions are the same as those of lib/rules/text/fold.ts, which a test compares for every character.
create function app.read_form(p_text text) returns text language sql immutable parallel safe as $$
  select case when octet_length(p_text) = length(p_text) then p_text
              else regexp_replace(replace(replace(regexp_replace(translate(normalize(replace(regexp_replace(p_text,
                     U&'[\00AD\034F\061C\115F\1160\17B4\17B5\180B-\180F\200B-\200F\202A-\202E\2060-\206F\3164\FE00-\FE0F\FEFF\FFA0\FFF0-\FFF8\+01BCA0-\+01BCA3\+01D173-\+01D17A\+0E0000-\+0E0FFF]', '', 'g'),
                     '´', ''''), nfkc), U&'\2018\2019\201B\02BB\02BC\201C\201D\201E\201F\00AB\00BB\0130\0131', '''''''''''""""""Ii'),
                     U&'[\2010-\2015\2043\2212\058A\05BE\1400\1806\2E17\2E1A\2E3A\2E3B\2E40\2E5D\301C\3030\30A0\+010D6E\+010EAD]', '-', 'g'), 'ß', 'ss'), 'ẞ', 'SS'),
                     U&'[\0591-\05BD\05BF\05C1\05C2\05C4\05C5\05C7\0610-\061A\0640\064B-\065F\0670\06D6-\06DC\06DF-\06E4\06E7\06E8\06EA-\06ED\0711\0730-\074A\08CA-\08E1\08E3-\08FF]', '', 'g') end
$$;
create function app.fold_cases(p_text text) returns text language sql immutable parallel safe as $$
  select case when octet_length(p_text) = length(p_text) then lower(p_text)
              else replace(translate(lower(app.read_form(p_text) collate app.cases), 'ς', 'σ'), U&'i\0307', 'i') end
$$;
-- Returns the form in which two spellings of one name are equal, for unique indexes and lists. Accents count.
create function app.name_key(p_name text) returns text language sql immutable parallel safe as $$
  select btrim(regexp_replace(app.fold_cases(p_name), U&'[\0009-\000D \0085\1680\2028\2029]+', ' ', 'g'))
$$;
-- Returns the form in which a search finds a text: "Müller" and "Muller" are the same word, "Łódź" and "lodz" too.
create function app.fold(p_text text) returns text language sql immutable parallel safe as $$
  select case when octet_length(p_text) = length(p_text) then lower(p_text)
              else replace(replace(replace(translate(normalize(regexp_replace(normalize(app.fold_cases(p_text), nfkd),
                     U&'[\0300-\036F\1AB0-\1ACE\1DC0-\1DFF\20D0-\20F0\FE20-\FE2F\093C\09BC\0A3C\0ABC\0B3C\0C3C\0CBC]', '', 'g'), nfc),
                     'łøđðħŧŋ', 'loddhtn'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end
$$;

-- Holds a time that a client names between what came before it and now: its clock may be wrong. Without one it is what came before.
create function app.hold_time(p_claimed timestamptz, p_after timestamptz) returns timestamptz language sql stable parallel safe as $$
  select least(greatest(p_claimed, p_after), app.now())
$$;

create function app.iso(t timestamptz) returns text language sql stable parallel safe
  as $$ select to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- Enables and forces row level security on a table with an `account_id`. Without `writes`, one policy `own` gives a scope all rows of its
-- account. With `writes` (of insert, update and delete), each of these commands is limited to rows of the account, and the migration adds a
-- policy `reads` that says who sees a row. With '{}' the migration adds every policy. The subquery checks the signature once per statement.
create procedure app.protect(tenant_table regclass, writes text[] default null) language plpgsql as $$
declare
  own constant text := '(account_id = (select app.signed_account_id()))';
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

-- Adds what the attempts at the work of a table need beside its `state`; lib/work/README.md says how. `max` limits the attempts, in work that is
-- done in slices those of one slice: a slice that succeeds raises the row's `max_attempts`.
create procedure app.attempts(work_table regclass, max integer default 4, is_due_at_once boolean default true) language plpgsql as $$
begin
  execute format('
    alter table %s
      add attempts         integer not null default 0,
      add max_attempts     integer not null default %s,
      add last_error       text,
      add last_status_code integer,
      add next_attempt_at  timestamptz(3) %s,
      add leased_until     timestamptz(3),
      -- When a sweep last took the row, because its message was lost.
      add swept_at         timestamptz(3)',
    work_table, max, case when is_due_at_once then 'default app.now()' end);
end $$;

-- Raises SF4LR when more than `most` rows of the table have the same value in the column `per`. The lock makes the limit exact.
create function app.keep_row_limit() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  most constant bigint := tg_argv[0];
  resource constant text := tg_argv[1];
  per constant text := tg_argv[2];
  used bigint;
begin
  perform app.lock_usage(new.account_id);
  execute format('select count(*) from %1$I r where r.account_id = ($1).account_id and r.%2$I = ($1).%2$I', tg_table_name, per)
    into used using new;
  if used > most then
    perform app.raise_limit_reached(resource, used - 1, most);
  end if;
  return null;
end $$;
-- Limits the rows of a table, per account or per value of another column. A refusal names the `resource`.
create procedure app.limit_rows(limited regclass, most integer, per text default 'account_id', resource text default null) language plpgsql as $$
begin
  execute format('create constraint trigger quota after insert on %s deferrable initially deferred
                    for each row execute function app.keep_row_limit(%L, %L, %L)',
    limited, most, coalesce(resource, limited::text), per);
end $$;
revoke execute on procedure app.attempts(regclass, integer, boolean), app.limit_rows(regclass, integer, text, text)
  from app_runtime, app_platform;
