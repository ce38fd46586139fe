-- What the operations page of staff reads beyond tables, and its replay of stored work.

-- The newest applied migration. Only the owner reads the table.
create function app.applied_migration() returns text language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select max(name) from public.migrations
$$;

-- The ten statements of the service's roles that took the most time. Null without pg_stat_statements, and if the owner of the database may not
-- read those of other roles. The extension replaces constants by parameters: https://www.postgresql.org/docs/18/pgstatstatements.html
create function app.list_slow_statements() returns jsonb language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  extension_schema text := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_stat_statements');
  found jsonb;
begin
  if extension_schema is null or not pg_has_role('pg_read_all_stats', 'usage') then
    return null;
  end if;
  execute format($query$
    select coalesce(jsonb_agg(to_jsonb(s) order by s.total_ms desc), '[]') from (
      select queryid::text as query_id, query as text, calls::float8 as calls, round(mean_exec_time::numeric, 2)::float8 as mean_ms,
             round(total_exec_time::numeric)::float8 as total_ms
        from %I.pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database())
         and userid in (select oid from pg_roles where rolname in ('app_runtime', 'app_platform'))
       order by total_exec_time desc limit 10) s$query$, extension_schema) into found;
  return found;
exception
  -- The extension exists, but the server was not started with its library.
  when object_not_in_prerequisite_state then return null;
end $$;

-- Makes the open rows of an outbox due now and returns their number, at most 10,000. One entry of the audit log, whatever the number.
create function app.replay_outbox(p_outbox text) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
declare
  table_name text := case p_outbox when 'pushes' then 'psa_pushes' when 'webhooks' then 'webhook_deliveries' else p_outbox end;
  initial text := case when p_outbox in ('deliveries', 'webhooks') then 'pending' else 'queued' end;
  changed integer;
begin
  perform app.require_scope();
  if p_outbox not in ('deliveries', 'pushes', 'ai_tasks', 'webhooks') then
    raise exception 'unknown outbox';
  end if;
  -- Rows that are due for five seconds are taken by the next sweep.
  execute format($query$
    with open_rows as (
      select id from %1$I
       where state in (%2$L, 'retrying') and (leased_until is null or leased_until <= app.now()) and next_attempt_at is not null
         -- A first attempt that is later waits on purpose, such as a step of an alert.
         and not (attempts = 0 and last_error is null and next_attempt_at > app.now())
       order by next_attempt_at limit 10000 for update skip locked)
    update %1$I set next_attempt_at = least(next_attempt_at, app.now() - interval '5 seconds'), swept_at = null
     where id in (select id from open_rows)$query$, table_name, initial);
  get diagnostics changed = row_count;
  insert into audit_logs (account_id, actor_id, action, resource_type, changes, ip)
  values (app.platform_account(), app.user_id(), 'outbox.replayed', 'outbox',
          jsonb_build_object('outbox', jsonb_build_object('from', null, 'to', p_outbox), 'rows', jsonb_build_object('from', null, 'to', changed)),
          app.client_address());
  return changed;
end $$;
revoke execute on function app.applied_migration(), app.list_slow_statements(), app.replay_outbox(text) from app_runtime;
