-- How much an account may store and keep open: its limits, counters, and the triggers that keep both.

-- One row per account. Whatever checks a quota locks it first, so that concurrent requests see one another's rows. The checks are deferred to
-- the commit, so that the row is locked last and other writers of the account do not wait for the rest of the transaction.
create table account_usage (
  account_id uuid primary key default app.account_id() references accounts on delete cascade
);
call app.protect('account_usage');
grant select, update on account_usage to app_runtime;
grant select, insert, update, delete on account_usage to app_platform;
create function app.lock_usage(p_account uuid) returns void language sql set search_path = public, pg_temp as $$
  select from account_usage u where u.account_id = p_account for no key update
$$;

-- What triggers count, so that no request has to.
create table usage_counters (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  quota      text not null check (quota in ('stored_bytes', 'open_ai_sessions', 'flows', 'schedules')),
  used       bigint not null check (used >= 0),
  primary key (account_id, quota)
);
call app.protect('usage_counters');
grant select, update on usage_counters to app_runtime;
grant select, insert, update, delete on usage_counters to app_platform;
create function app.counted_quotas() returns text[] language sql immutable parallel safe as $$
  select '{stored_bytes,open_ai_sessions,flows,schedules}'::text[]
$$;
create function app.start_usage() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  insert into account_usage (account_id) values (new.id);
  insert into usage_counters (account_id, quota, used) select new.id, q, 0 from unnest(app.counted_quotas()) q;
  return null;
end $$;
create trigger usage after insert on accounts for each row execute function app.start_usage();
insert into account_usage (account_id) select id from accounts;
insert into usage_counters (account_id, quota, used) select a.id, q, 0 from accounts a, unnest(app.counted_quotas()) q;

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

-- The bytes that a row counts: without its size those of its text, because pg_column_size differs by 3 between a stored and a copied value.
create function app.counted_bytes(v tree_versions) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(v.bytes, coalesce(octet_length(v.tree_structure::text), 0) + octet_length(v.intake_form::text))::bigint
$$;
create function app.counted_bytes(d network_diagrams) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(d.bytes, octet_length(d.nodes::text) + octet_length(d.edges::text))::bigint
$$;
create function app.counted_bytes(u uploads) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select u.size::bigint
$$;
create function app.counted_bytes(v script_versions) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select v.bytes::bigint
$$;
create function app.counted_bytes(v diagram_versions) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select v.bytes::bigint
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
             + coalesce((select sum(app.counted_bytes(v)) from script_versions v where v.account_id = p_account), 0)::bigint
             + coalesce((select sum(app.counted_bytes(v)) from diagram_versions v where v.account_id = p_account), 0)::bigint
           when 'open_ai_sessions' then
             (select count(*) from ai_sessions s where s.account_id = p_account and app.is_open_ai_session(s.status))
           when 'flows' then (select count(*) from trees t where t.account_id = p_account and t.deleted_at is null)
           when 'schedules' then (select count(*) from maintenance_schedules m where m.account_id = p_account)
         end
$$;

-- The limit of a quota: that of the plan, in a trial at most that of a trial. Null for no limit.
create function app.quota_limit(p_account uuid, p_quota text) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select case p_quota
           when 'mails_per_day' then least(l.max_mails_per_day, case when app.subscription_of(a) = 'trialing' then 50 end)
           when 'notification_configs' then l.max_notification_configs
           when 'flows' then l.max_flows
           when 'open_ai_sessions' then l.max_open_ai_sessions
           when 'schedules' then l.max_schedules
           when 'webhooks' then l.max_webhooks
           when 'stored_bytes' then least(l.max_stored_bytes, case when app.subscription_of(a) = 'trialing' then 1073741824 end)
           when 'ai_cost_micros' then least(l.max_ai_cost_micros_per_month, case when app.subscription_of(a) = 'trialing' then 5000000 end)
         end
    from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = p_account
$$;
-- Counts read one account's slice of an index; counters read one row.
create function app.quota_used(p_account uuid, p_quota text) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select case p_quota
           when 'notification_configs' then (select count(*) from notification_configs c where c.account_id = p_account)
           when 'webhooks' then (select count(*) from webhooks w where w.account_id = p_account)
           when 'mails_per_day' then app.mails_sent_today(p_account)
           when 'ai_cost_micros' then
             coalesce((select b.used_micros from ai_budgets b join accounts a on a.id = b.account_id
                        where b.account_id = p_account and b.period_start = app.quota_period(a)), 0)
           else coalesce(
             (select c.used from usage_counters c where c.account_id = p_account and c.quota = p_quota), app.sum_usage(p_account, p_quota))
         end
$$;
-- Whether the account has used its budget of the month. False without a limit.
create function app.is_ai_budget_used(p_account uuid) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce(app.quota_used(p_account, 'ai_cost_micros') >= app.quota_limit(p_account, 'ai_cost_micros'), false)
$$;

-- Raises SF4LR with the facts of the answer.
create function app.raise_limit_reached(p_quota text, p_used bigint, p_limit bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'a limit is reached' using errcode = 'SF4LR',
    detail = json_build_object('resource', p_quota, 'used', p_used, 'limit', p_limit);
end $$;
-- Raises SF4LR if the account has more of something than its quota allows. The caller has just added it.
create function app.check_quota(p_account uuid, p_quota text) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  most constant bigint := app.quota_limit(p_account, p_quota);
  used bigint;
begin
  if most is not null then
    perform app.lock_usage(p_account);
    used := app.quota_used(p_account, p_quota);
    if used > most then
      perform app.raise_limit_reached(p_quota, used - 1, most);
    end if;
  end if;
end $$;
-- Keeps the quota that the argument names.
create function app.keep_quota() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform app.check_quota(new.account_id, tg_argv[0]);
  return null;
end $$;
create constraint trigger quota after insert on notification_configs deferrable initially deferred
  for each row execute function app.keep_quota('notification_configs');
create constraint trigger quota after insert on webhooks deferrable initially deferred
  for each row execute function app.keep_quota('webhooks');

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
create constraint trigger stored_bytes after insert or delete on tree_versions deferrable initially deferred
  for each row execute function app.count_stored_bytes();
create constraint trigger stored_bytes after insert or delete on uploads deferrable initially deferred
  for each row execute function app.count_stored_bytes();
create constraint trigger stored_bytes after insert or delete on network_diagrams deferrable initially deferred
  for each row execute function app.count_stored_bytes();
create constraint trigger stored_bytes after insert or delete on script_versions deferrable initially deferred
  for each row execute function app.count_stored_bytes();
create constraint trigger stored_bytes after insert or delete on diagram_versions deferrable initially deferred
  for each row execute function app.count_stored_bytes();
create constraint trigger stored_bytes_later after update on network_diagrams deferrable initially deferred for each row
  when (old.bytes is distinct from new.bytes) execute function app.count_stored_bytes();

-- Counts a row, with the quota and the change as arguments. A counter also has the rows that the caller does not see, unlike a count.
create function app.count_row() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform app.add_usage(case when tg_op = 'DELETE' then old.account_id else new.account_id end, tg_argv[0], tg_argv[1]::bigint);
  return null;
end $$;
create constraint trigger flow_added after insert on trees deferrable initially deferred for each row
  when (new.deleted_at is null) execute function app.count_row('flows', '1');
create constraint trigger flow_deleted after update of deleted_at on trees deferrable initially deferred for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function app.count_row('flows', '-1');
create constraint trigger flow_restored after update of deleted_at on trees deferrable initially deferred for each row
  when (old.deleted_at is not null and new.deleted_at is null) execute function app.count_row('flows', '1');
create constraint trigger flow_removed after delete on trees deferrable initially deferred for each row
  when (old.deleted_at is null) execute function app.count_row('flows', '-1');
create constraint trigger schedule_added after insert on maintenance_schedules deferrable initially deferred for each row
  execute function app.count_row('schedules', '1');
create constraint trigger schedule_removed after delete on maintenance_schedules deferrable initially deferred for each row
  execute function app.count_row('schedules', '-1');
create constraint trigger session_opened after insert on ai_sessions deferrable initially deferred for each row
  when (app.is_open_ai_session(new.status)) execute function app.count_row('open_ai_sessions', '1');
create constraint trigger session_closed after update of status on ai_sessions deferrable initially deferred for each row
  when (app.is_open_ai_session(old.status) and not app.is_open_ai_session(new.status)) execute function app.count_row('open_ai_sessions', '-1');
create constraint trigger session_reopened after update of status on ai_sessions deferrable initially deferred for each row
  when (app.is_open_ai_session(new.status) and not app.is_open_ai_session(old.status)) execute function app.count_row('open_ai_sessions', '1');
create constraint trigger session_removed after delete on ai_sessions deferrable initially deferred for each row
  when (app.is_open_ai_session(old.status)) execute function app.count_row('open_ai_sessions', '-1');
