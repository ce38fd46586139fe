-- How much an account may store and keep open, by plan. Null for no limit.
alter table plan_limits
  add column max_flows integer default 2000,
  add column max_open_ai_sessions integer default 1000,
  add column max_schedules integer default 200,
  add column max_stored_bytes bigint default 10737418240,
  add constraint plan_limits_quotas check (least(max_flows, max_open_ai_sessions, max_schedules, max_stored_bytes) >= 0) not valid;
update plan_limits set max_flows = 100, max_open_ai_sessions = 50, max_schedules = 5, max_stored_bytes = 209715200 where plan = 'free';
update plan_limits set max_flows = 10000, max_open_ai_sessions = 5000, max_schedules = 1000, max_stored_bytes = 53687091200 where plan = 'team';
update plan_limits set max_flows = null, max_open_ai_sessions = null, max_schedules = null, max_stored_bytes = null where plan = 'enterprise';

-- What triggers count, so that no request has to. Before its first change, an account gets a row with what
-- the tables contain.
create table usage_counters (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  quota      text not null check (quota in ('stored_bytes', 'open_ai_sessions')),
  used       bigint not null check (used >= 0),
  primary key (account_id, quota)
);
call app.protect('usage_counters');
grant select, insert, update on usage_counters to app_runtime;
grant select, insert, update, delete on usage_counters to app_platform;

-- The size of a row's content when it was written. Null in rows that are older than the column.
alter table tree_versions add column bytes integer;
alter table network_diagrams add column bytes integer;

create function app.measure_version() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  new.bytes := coalesce(pg_column_size(new.tree_structure), 0) + pg_column_size(new.intake_form) + octet_length(new.description);
  return new;
end $$;
create trigger measure before insert on tree_versions for each row execute function app.measure_version();
create function app.measure_diagram() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  new.bytes := pg_column_size(new.nodes) + pg_column_size(new.edges) + octet_length(new.description);
  return new;
end $$;
create trigger measure before insert or update of nodes, edges, description on network_diagrams
  for each row execute function app.measure_diagram();

-- The bytes that a row counts. The stored size of an older row never changes, so it is subtracted as it was added.
create function app.counted_bytes(v tree_versions) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(v.bytes, coalesce(pg_column_size(v.tree_structure), 0) + pg_column_size(v.intake_form))::bigint
$$;
create function app.counted_bytes(d network_diagrams) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(d.bytes, pg_column_size(d.nodes) + pg_column_size(d.edges))::bigint
$$;
create function app.counted_bytes(u uploads) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select u.size::bigint
$$;
-- An AI session counts until it is resolved, abandoned or archived.
create function app.is_open_ai_session(p_status text) returns boolean language sql immutable parallel safe as $$
  select p_status in ('active', 'parked', 'requesting_escalation', 'escalated', 'claimed')
$$;

-- What a counter should be. It reads all such rows of the account.
create function app.sum_usage(p_account uuid, p_quota text) returns bigint language sql stable set search_path = public, pg_temp as $$
  select case p_quota
           when 'stored_bytes' then
             coalesce((select sum(app.counted_bytes(v)) from tree_versions v where v.account_id = p_account), 0)::bigint
             + coalesce((select sum(app.counted_bytes(u)) from uploads u where u.account_id = p_account), 0)::bigint
             + coalesce((select sum(app.counted_bytes(d)) from network_diagrams d where d.account_id = p_account), 0)::bigint
           when 'open_ai_sessions' then
             (select count(*) from ai_sessions s where s.account_id = p_account and app.is_open_ai_session(s.status))
         end
$$;
-- Starts the counter of the argument before the first row changes. Whoever changes rows at the same time waits in this function too.
create function app.start_counter() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  account constant uuid := case when tg_op = 'INSERT' then new.account_id else old.account_id end;
begin
  if not exists (select from usage_counters c where c.account_id = account and c.quota = tg_argv[0]) then
    perform app.lock_usage(account);
    insert into usage_counters (account_id, quota, used)
    select a.id, tg_argv[0], app.sum_usage(a.id, tg_argv[0]) from accounts a where a.id = account
    on conflict do nothing;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;
-- Adds a change to a counter, under a lock that is held until the transaction ends. The limit is exact, also for concurrent writers.
create function app.add_usage(p_account uuid, p_quota text, p_change bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  counted bigint;
  most bigint;
begin
  if p_change = 0 then
    return;
  end if;
  perform app.lock_usage(p_account);
  update usage_counters c set used = greatest(0, c.used + p_change) where c.account_id = p_account and c.quota = p_quota
  returning c.used into counted;
  most := app.quota_limit(p_account, p_quota);
  if p_change > 0 and counted > most then
    perform app.raise_limit_reached(p_quota, counted - p_change, most);
  end if;
end $$;

create function app.count_stored_bytes() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    perform app.add_usage(new.account_id, 'stored_bytes', app.counted_bytes(new));
  elsif tg_op = 'DELETE' then
    perform app.add_usage(old.account_id, 'stored_bytes', -app.counted_bytes(old));
  else
    perform app.add_usage(new.account_id, 'stored_bytes', app.counted_bytes(new) - app.counted_bytes(old));
  end if;
  return null;
end $$;
create trigger counter before insert or delete on tree_versions for each row execute function app.start_counter('stored_bytes');
create trigger counter before insert or delete on uploads for each row execute function app.start_counter('stored_bytes');
create trigger counter before insert or update or delete on network_diagrams for each row execute function app.start_counter('stored_bytes');
create trigger stored_bytes after insert or delete on tree_versions for each row execute function app.count_stored_bytes();
create trigger stored_bytes after insert or delete on uploads for each row execute function app.count_stored_bytes();
create trigger stored_bytes after insert or delete on network_diagrams for each row execute function app.count_stored_bytes();
create trigger stored_bytes_later after update on network_diagrams for each row
  when (old.bytes is distinct from new.bytes) execute function app.count_stored_bytes();

create function app.count_open_ai_sessions() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    perform app.add_usage(old.account_id, 'open_ai_sessions', -1);
  else
    perform app.add_usage(new.account_id, 'open_ai_sessions', case when app.is_open_ai_session(new.status) then 1 else -1 end);
  end if;
  return null;
end $$;
create trigger counter before insert or delete on ai_sessions for each row execute function app.start_counter('open_ai_sessions');
create trigger counter_later before update of status on ai_sessions for each row execute function app.start_counter('open_ai_sessions');
create trigger open_sessions after insert on ai_sessions for each row
  when (app.is_open_ai_session(new.status)) execute function app.count_open_ai_sessions();
create trigger open_sessions_deleted after delete on ai_sessions for each row
  when (app.is_open_ai_session(old.status)) execute function app.count_open_ai_sessions();
create trigger open_sessions_later after update of status on ai_sessions for each row
  when (app.is_open_ai_session(old.status) <> app.is_open_ai_session(new.status)) execute function app.count_open_ai_sessions();

create or replace function app.quota_limit(p_account uuid, p_quota text) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select case p_quota
           when 'mails_per_day' then least(l.max_mails_per_day, case when app.subscription_of(a) = 'trialing' then 50 end)
           when 'notification_configs' then l.max_notification_configs
           when 'flows' then l.max_flows
           when 'open_ai_sessions' then l.max_open_ai_sessions
           when 'schedules' then l.max_schedules
           when 'stored_bytes' then least(l.max_stored_bytes, case when app.subscription_of(a) = 'trialing' then 1073741824 end)
         end
    from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = p_account
$$;
-- Counts read one account's slice of an index; counters read one row.
create or replace function app.quota_used(p_account uuid, p_quota text) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select case p_quota
           when 'notification_configs' then (select count(*) from notification_configs c where c.account_id = p_account)
           when 'flows' then (select count(*) from trees t where t.account_id = p_account and t.deleted_at is null)
           when 'schedules' then (select count(*) from maintenance_schedules m where m.account_id = p_account)
           when 'mails_per_day' then app.mails_sent_today(p_account)
           else coalesce(
             (select c.used from usage_counters c where c.account_id = p_account and c.quota = p_quota), app.sum_usage(p_account, p_quota))
         end
$$;
create trigger quota after insert on trees referencing new table as added
  for each statement execute function app.keep_quota('flows');
create trigger quota after insert on maintenance_schedules referencing new table as added
  for each statement execute function app.keep_quota('schedules');
