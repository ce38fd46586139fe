-- Who did what. Written by triggers, so no administrator's write can forget its row or outlive it.
create table audit_logs (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  actor_id      uuid,
  action        text not null,
  resource_type text not null,
  resource_id   uuid,
  changes       jsonb not null default '{}',
  ip            text,
  created_at    timestamptz(3) not null default app.now(),
  primary key (id)
);
create index audit_logs_newest on audit_logs (account_id, created_at desc, id desc);
alter table audit_logs enable row level security;
alter table audit_logs force row level security;
create policy own on audit_logs for select using (account_id = app.account_id());
create policy own_insert on audit_logs for insert with check (account_id = app.account_id());
grant select, insert on audit_logs to app_runtime;
grant select, insert on audit_logs to app_platform;

-- Trigger arguments: the resource type, then the columns whose values must not be copied. An update that changed
-- nothing leaves no row; account and creation time say nothing and are left out.
create function app.audit() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  before jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  after jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  subject jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  diff jsonb;
begin
  -- A write that is part of another one is told by that one's row.
  if current_setting('app.audit', true) = 'off' then
    return null;
  end if;
  select coalesce(jsonb_object_agg(k, case when k = any (tg_argv[1:]) then '"[redacted]"'::jsonb
                                           else jsonb_build_object('from', before -> k, 'to', after -> k) end), '{}')
    into diff
    from jsonb_object_keys(subject) k
   where k not in ('id', 'account_id', 'created_at', 'updated_at', 'last_login_at') and before -> k is distinct from after -> k;
  if tg_op = 'UPDATE' and diff = '{}' then
    return null;
  end if;
  insert into public.audit_logs (account_id, actor_id, action, resource_type, resource_id, changes, ip)
  values (coalesce(subject ->> 'account_id', subject ->> 'id')::uuid, app.user_id(), tg_argv[0] || '.' || case tg_op when 'INSERT' then 'created'
          when 'UPDATE' then 'updated' else 'deleted' end, tg_argv[0], (subject ->> 'id')::uuid, diff,
          nullif(current_setting('app.ip', true), ''));
  return null;
end $$;
