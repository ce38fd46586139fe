-- The audit log. Triggers write it, so a change by an admin cannot be stored without its row.
create table audit_logs (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  actor_id      uuid,
  action        text not null,
  resource_type text not null,
  resource_id   uuid,
  changes       jsonb not null default '{}',
  ip            text,
  -- Counts the entries of the account without gaps, in the order of their commits. Null until the commit; 0010_webhooks sets it.
  sequence      bigint,
  created_at    timestamptz(3) not null default app.now(),
  primary key (id)
);
create unique index audit_logs_sequence on audit_logs (account_id, sequence);
create index audit_logs_newest on audit_logs (account_id, created_at desc, id desc);
-- For the filter of staff, who see every account.
create index audit_logs_action on audit_logs (action, id);
call app.protect('audit_logs', writes => '{}');
create policy own on audit_logs for select using (account_id = (select app.signed_account_id()));
grant select on audit_logs to app_runtime;
grant select, insert on audit_logs to app_platform;

-- Returns the old and the new value of each changed column. Secret columns are listed without their values.
create function app.changes(before jsonb, after jsonb, secrets text[]) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(k, case when k = any (secrets) then '"[redacted]"'::jsonb
                                           else jsonb_build_object('from', before -> k, 'to', after -> k) end), '{}')
    from jsonb_object_keys(before || after) k
   where k not in ('id', 'account_id', 'created_at', 'updated_at', 'last_login_at') and before -> k is distinct from after -> k
$$;

-- Trigger arguments: the resource type, then the secret columns. An update that changes no value adds no row. Rows of tables without an
-- account are logged in the platform account; rows without an id are identified by their plan and feature. Security definer, because
-- app_runtime cannot write the log.
create function app.audit() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  after jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  subject jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  diff jsonb := app.changes(before, after, tg_argv[1:]);
begin
  -- A change that is part of another change is covered by the row of that change.
  if current_setting('app.audit', true) <> '' and current_setting('app.audit', true) = app.sign('audit off') then
    return null;
  end if;
  if tg_op = 'UPDATE' and diff = '{}' then
    return null;
  end if;
  if not subject ? 'id' then
    select coalesce(jsonb_object_agg(k, jsonb_build_object('from', before -> k, 'to', after -> k)), '{}') || diff into diff
      from jsonb_object_keys(subject) k where k in ('plan', 'feature');
  end if;
  insert into public.audit_logs (account_id, actor_id, action, resource_type, resource_id, changes, ip)
  values (case when tg_table_name = 'accounts' then (subject ->> 'id')::uuid
               else coalesce((subject ->> 'account_id')::uuid, app.platform_account()) end,
          app.user_id(), tg_argv[0] || '.' || case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end,
          tg_argv[0], (subject ->> 'id')::uuid, diff, app.client_address());
  return null;
end $$;

-- The tables that exist already. What members change about themselves, and what the billing provider changes, is not logged.
create trigger audit
  after update of name, timezone, settings, require_mfa, brand_colour, audit_log_days, notification_days, ai_message_days, session_days, flow_review_months,
    deletes_at
  on accounts for each row execute function app.audit('account');
create trigger audit_text_preferences after update of preferences on accounts for each row
  when (new.preferences -> 'mask_exports' is distinct from old.preferences -> 'mask_exports'
        or new.preferences -> 'push_details' is distinct from old.preferences -> 'push_details')
  execute function app.audit('account');
create trigger audit_subscription after update of plan, subscription_status, trial_ends_at on accounts for each row
  when (app.user_id() is not null) execute function app.audit('subscription');
create trigger audit after insert or update or delete on teams for each row
  when (app.user_id() is not null) execute function app.audit('team');
create trigger audit after update of role, team_id, team_role, is_active, is_super_admin on users
  for each row execute function app.audit('member');
create trigger audit after insert or update of revoked_at, codes_since on invites for each row execute function app.audit('invite');
create trigger audit after insert or update or delete on plan_features for each row execute function app.audit('plan_feature');
create trigger audit after insert or update or delete on feature_overrides for each row execute function app.audit('feature_override');
-- Not when a code is used: that is a registration.
create trigger audit after insert on platform_invite_codes for each row execute function app.audit('invite_code', 'hash');

-- Deletes up to `p_limit` entries that are older than their account keeps them, and returns their number. No role may delete other entries.
create function app.delete_audit_logs(p_limit integer) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with deleted as (
    delete from audit_logs where ctid = any (array(
      select l.ctid from accounts a cross join lateral (
        select ctid from audit_logs
         where account_id = a.id and created_at < app.now() - make_interval(days => a.audit_log_days)
         limit p_limit for update skip locked) l
       limit p_limit))
    returning id
  )
  select count(*)::integer from deleted
$$;
revoke execute on function app.delete_audit_logs(integer) from app_runtime;
