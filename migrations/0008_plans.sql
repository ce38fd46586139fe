-- What a plan costs and allows, and which features it switches on.
alter table plan_limits
  add column max_kb_imports integer check (max_kb_imports >= 0),
  add column max_ai_builds_per_month integer check (max_ai_builds_per_month >= 0);
update plan_limits set max_kb_imports = 3 where plan = 'free';
update plan_limits l set max_ai_builds_per_month = v.builds
  from (values ('free', 5), ('pro', 100), ('team', 500)) v (plan, builds) where l.plan = v.plan;

create table plan_billing (
  plan                      text primary key references plan_limits on delete cascade,
  display_name              text not null check (length(display_name) between 1 and 200),
  description               text not null default '' check (length(description) <= 2000),
  monthly_price_cents       integer check (monthly_price_cents >= 0),
  annual_price_cents        integer check (annual_price_cents >= 0),
  currency                  text not null default 'usd' check (currency ~ '^[a-z]{3}$'),
  features                  jsonb not null default '[]' check (jsonb_typeof(features) = 'array'),
  is_public                 boolean not null default false,
  is_archived               boolean not null default false,
  sort_order                integer not null default 0,
  provider_product_id       text unique,
  provider_monthly_price_id text unique,
  provider_annual_price_id  text unique,
  updated_at                timestamptz(3) not null default app.now()
);
insert into plan_billing (plan, display_name, description, monthly_price_cents, annual_price_cents, features, is_public, sort_order) values
  ('free', 'Free', 'For one or two technicians who want to see what guided flows do.', 0, 0,
   '["3 seats", "Guided flows and sessions", "AI diagnosis", "3 knowledge imports"]', true, 10),
  ('pro', 'Pro', 'For a support team that runs its day on flows.', 4900, 49000,
   '["10 seats", "Maintenance schedules", "Unlimited knowledge imports", "PSA integration"]', true, 20),
  ('team', 'Team', 'For several teams with many clients.', 14900, 149000,
   '["50 seats", "Everything in Pro", "Team branding", "Audit log"]', true, 30),
  ('enterprise', 'Enterprise', 'Without a limit on seats, by agreement.', null, null, '["Unlimited seats", "Everything in Team"]', false, 40);
grant select, insert, update, delete on plan_billing to app_platform;

create table features (
  key         text primary key check (key ~ '^[a-z][a-z0-9_]{0,59}$'),
  description text not null
);
insert into features values
  ('public_gallery', 'The public gallery; platform-wide: the platform account''s value holds for everyone.'),
  ('ai_sessions', 'Diagnosis and chat with the AI, fixes, handoffs.'),
  ('ai_authoring', 'The flow builder, the editor''s assistant, proposals.'),
  ('script_builder', 'The script builder''s chat.'),
  ('network_diagrams', 'Network diagrams and device types.'),
  ('kb_import', 'Flows made from knowledge articles.'),
  ('maintenance_schedules', 'Maintenance flows on a schedule.');
create table plan_features (
  plan    text not null references plan_limits on delete cascade,
  feature text not null references features,
  enabled boolean not null,
  primary key (plan, feature)
);
insert into plan_features
  select l.plan, f.key, not (l.plan = 'free' and f.key = 'maintenance_schedules') from plan_limits l, features f;
create table feature_overrides (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  feature    text not null references features,
  enabled    boolean not null,
  created_at timestamptz(3) not null default app.now(),
  primary key (account_id, feature)
);
alter table feature_overrides enable row level security;
alter table feature_overrides force row level security;
create policy own on feature_overrides using (account_id = app.account_id()) with check (account_id = app.account_id());
grant select on features, plan_features, feature_overrides to app_runtime;
grant select, insert, update, delete on features, plan_features, feature_overrides to app_platform;

-- The account's own value, else its plan's, else off.
create function app.feature_on(p_account uuid, p_feature text) returns boolean
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(
    (select o.enabled from public.feature_overrides o where o.account_id = p_account and o.feature = p_feature),
    (select f.enabled from public.plan_features f join public.accounts a on a.id = p_account
      where f.plan = app.plan_of(a) and f.feature = p_feature),
    false)
$$;

-- app.enter for an operation that belongs to a feature: past it comes SF4FD when the feature is off.
create function app.enter_feature(
  p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text, p_feature text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  if not app.feature_on(p_account, p_feature) then
    raise exception 'feature disabled' using errcode = 'SF4FD';
  end if;
end $$;
