-- What the platform's staff may do, and the rows that tell of it.

-- As before, and `account_or_super_admin`: what an admin does for the account and staff for every account.
create or replace function app.enter(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  c record;
begin
  select u.role, u.team_id, u.team_role, u.is_super_admin, u.full_name, u.must_change_password,
         u.email_verified_at is null and u.created_at + interval '72 hours' <= app.now() as unverified,
         app.lapsed(a) as lapsed
    into c
    from public.sign_ins s
    join public.users u on u.account_id = s.account_id and u.id = s.user_id
    join public.accounts a on a.id = u.account_id
   where s.account_id = p_account and s.id = p_sign_in and s.user_id = p_user
     and s.ended_at is null and s.expires_at > app.now() and u.is_active;
  if not found then
    raise exception 'not signed in' using errcode = 'SF401';
  end if;
  if not (case p_access
            when 'user' then true
            when 'engineer' then c.role in ('engineer', 'admin')
            when 'team_admin' then c.role = 'admin' or c.team_role = 'admin'
            when 'account_admin' then c.role = 'admin'
            when 'account_or_super_admin' then c.role = 'admin' or c.is_super_admin
            when 'super_admin' then c.is_super_admin
            else false end) then
    raise exception 'role' using errcode = 'SF403';
  end if;
  if p_past <> 'password' and c.must_change_password then
    raise exception 'password change required' using errcode = 'SF4PW';
  end if;
  if p_past = 'none' and c.unverified then
    raise exception 'email not verified' using errcode = 'SF4EV';
  end if;
  if p_past = 'none' and c.lapsed then
    raise exception 'subscription lapsed' using errcode = 'SF4SL';
  end if;
  perform set_config('app.account_id', p_account::text, true),
          set_config('app.user_id', p_user::text, true),
          set_config('app.role', c.role, true),
          set_config('app.team_id', coalesce(c.team_id::text, ''), true),
          set_config('app.team_role', coalesce(c.team_role, ''), true),
          set_config('app.ip', p_ip, true);
end $$;

-- Staff enter through the platform's door, where keys of requests are kept too; the policies do not hold there, the queries name the caller.
grant insert, update on idempotency_keys to app_platform;

-- Per field what it was and what it is; secrets are named without their values.
create function app.changes(before jsonb, after jsonb, secrets text[]) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(k, case when k = any (secrets) then '"[redacted]"'::jsonb
                                           else jsonb_build_object('from', before -> k, 'to', after -> k) end), '{}')
    from jsonb_object_keys(before || after) k
   where k not in ('id', 'account_id', 'created_at', 'updated_at', 'last_login_at') and before -> k is distinct from after -> k
$$;

-- As before, and for tables that belong to no account: their rows are told in the platform's. What has no id is named by its plan and feature.
create or replace function app.audit() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  before jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  after jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  subject jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  diff jsonb := app.changes(before, after, tg_argv[1:]);
begin
  -- A write that is part of another one is told by that one's row.
  if current_setting('app.audit', true) = 'off' then
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
          tg_argv[0], (subject ->> 'id')::uuid, diff, nullif(current_setting('app.ip', true), ''));
  return null;
end $$;

-- What a provider or a trial that runs out does is not an administrator's write.
create trigger audit_subscription after update of plan, subscription_status, trial_ends_at on accounts for each row
  when (app.user_id() is not null) execute function app.audit('subscription');
create trigger audit after insert or update or delete on plan_features for each row execute function app.audit('plan_feature');
create trigger audit after insert or update or delete on feature_overrides for each row execute function app.audit('feature_override');
-- Not its uses: those are registrations.
create trigger audit after insert on platform_invite_codes for each row execute function app.audit('invite_code', 'hash');
create trigger audit_test after insert on deliveries for each row
  when (new.config_id is not null and new.event_id is null and app.user_id() is not null) execute function app.audit('notification_test');
create trigger audit_retry after update of state on deliveries for each row
  when (old.state = 'failed' and new.state = 'retrying' and app.user_id() is not null) execute function app.audit('delivery');

-- Never fewer than one active super admin in all: decided under one lock, on what is there by then. Definer, since an account's admin who
-- deactivates a colleague cannot see the others.
create function app.keep_last_super_admin() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('app.keep_last_super_admin', 0));
  if not exists (select from public.users u where u.is_super_admin and u.is_active) then
    raise exception 'the last super admin' using errcode = 'SF4LS';
  end if;
  return null;
end $$;
create trigger last_super_admin after update of is_super_admin, is_active on users for each row
  when (old.is_super_admin and old.is_active and (not new.is_super_admin or not new.is_active))
  execute function app.keep_last_super_admin();

-- Limits and, where a billing field is given, billing: both or neither, and one row that tells of both. Keys that are not given change nothing.
-- Answers nothing: read the plan afterwards, in the same transaction.
create function app.put_plan(p jsonb) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  billing jsonb := p - '{plan,max_users,max_kb_imports,max_ai_builds_per_month}'::text[];
  limits record;
  bill record;
  diff jsonb;
begin
  insert into plan_limits as l (plan, max_users, max_kb_imports, max_ai_builds_per_month)
  values (p ->> 'plan', (p ->> 'max_users')::integer, (p ->> 'max_kb_imports')::integer, (p ->> 'max_ai_builds_per_month')::integer)
  on conflict (plan) do update set
    max_users = case when p ? 'max_users' then excluded.max_users else l.max_users end,
    max_kb_imports = case when p ? 'max_kb_imports' then excluded.max_kb_imports else l.max_kb_imports end,
    max_ai_builds_per_month = case when p ? 'max_ai_builds_per_month' then excluded.max_ai_builds_per_month else l.max_ai_builds_per_month end
  returning to_jsonb(old) as before, to_jsonb(new) as after into limits;
  diff := app.changes(coalesce(limits.before, '{}'), limits.after, '{}');
  if billing <> '{}' then
    insert into plan_billing as b (plan, display_name, monthly_price_cents, annual_price_cents, currency, is_public, is_archived, sort_order,
                                   provider_product_id, provider_monthly_price_id, provider_annual_price_id)
    values (p ->> 'plan', coalesce(p ->> 'display_name', upper(left(p ->> 'plan', 1)) || substr(p ->> 'plan', 2)),
            (p ->> 'monthly_price_cents')::integer, (p ->> 'annual_price_cents')::integer, coalesce(p ->> 'currency', 'usd'),
            coalesce((p ->> 'is_public')::boolean, false), coalesce((p ->> 'is_archived')::boolean, false),
            coalesce((p ->> 'sort_order')::integer, 0), p ->> 'provider_product_id', p ->> 'provider_monthly_price_id',
            p ->> 'provider_annual_price_id')
    on conflict (plan) do update set
      display_name = coalesce(p ->> 'display_name', b.display_name),
      monthly_price_cents = case when p ? 'monthly_price_cents' then excluded.monthly_price_cents else b.monthly_price_cents end,
      annual_price_cents = case when p ? 'annual_price_cents' then excluded.annual_price_cents else b.annual_price_cents end,
      currency = coalesce(p ->> 'currency', b.currency),
      is_public = coalesce((p ->> 'is_public')::boolean, b.is_public),
      is_archived = coalesce((p ->> 'is_archived')::boolean, b.is_archived),
      sort_order = coalesce((p ->> 'sort_order')::integer, b.sort_order),
      provider_product_id = case when p ? 'provider_product_id' then excluded.provider_product_id else b.provider_product_id end,
      provider_monthly_price_id =
        case when p ? 'provider_monthly_price_id' then excluded.provider_monthly_price_id else b.provider_monthly_price_id end,
      provider_annual_price_id =
        case when p ? 'provider_annual_price_id' then excluded.provider_annual_price_id else b.provider_annual_price_id end,
      updated_at = app.now()
    returning to_jsonb(old) as before, to_jsonb(new) as after into bill;
    diff := diff || app.changes(coalesce(bill.before, '{}'), bill.after, '{}');
  end if;
  if diff <> '{}' then
    insert into audit_logs (account_id, actor_id, action, resource_type, changes, ip)
    values (app.platform_account(), app.user_id(), case when limits.before is null then 'plan.created' else 'plan.updated' end, 'plan',
            jsonb_build_object('plan', jsonb_build_object('from', limits.before -> 'plan', 'to', limits.after -> 'plan')) || diff,
            nullif(current_setting('app.ip', true), ''));
  end if;
end $$;
