-- Plans: their limits, their prices and the features they include. Staff change them at run time, so later migrations must not reset them.
-- How much an account may use and store, by plan. Null for no limit.
create table plan_limits (
  plan                         text primary key check (plan ~ '^[a-z][a-z0-9_]{0,39}$'),
  max_users                    integer check (max_users > 0),
  max_kb_imports               integer check (max_kb_imports >= 0),
  max_ai_builds_per_month      integer check (max_ai_builds_per_month >= 0),
  max_mails_per_day            integer default 500 constraint plan_limits_mails check (max_mails_per_day >= 0),
  max_notification_configs     integer default 10 constraint plan_limits_configs check (max_notification_configs >= 0),
  max_flows                    integer default 2000,
  max_open_ai_sessions         integer default 1000,
  max_schedules                integer default 200,
  max_stored_bytes             bigint default 10737418240,
  -- In micro-dollars.
  max_ai_cost_micros_per_month bigint default 50000000 constraint plan_limits_ai_cost check (max_ai_cost_micros_per_month >= 0),
  max_webhooks                 integer default 10 constraint plan_limits_webhooks check (max_webhooks >= 0),
  constraint plan_limits_quotas check (least(max_flows, max_open_ai_sessions, max_schedules, max_stored_bytes) >= 0)
);
insert into plan_limits (plan, max_users, max_kb_imports, max_ai_builds_per_month, max_mails_per_day, max_flows, max_open_ai_sessions,
                         max_schedules, max_stored_bytes, max_ai_cost_micros_per_month) values
  ('free', 3, 3, 5, 50, 100, 50, 5, 209715200, 2000000),
  ('pro', 10, null, 100, 500, 2000, 1000, 200, 10737418240, 50000000),
  ('team', 50, null, 500, 500, 10000, 5000, 1000, 53687091200, 200000000),
  ('enterprise', null, null, null, 500, null, null, null, null, null);

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
  ('enterprise', 'Enterprise', 'Without a limit on seats, by agreement.', null, null,
   '["Unlimited seats", "Everything in Team"]', false, 40);

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

-- Whether a plan includes a feature. No row means that it does not.
create table plan_features (
  plan    text not null references plan_limits on delete cascade,
  feature text not null references features,
  enabled boolean not null,
  primary key (plan, feature)
);
create index plan_features_feature on plan_features (feature);
insert into plan_features
  select l.plan, f.key, not (l.plan = 'free' and f.key = 'maintenance_schedules') from plan_limits l, features f;

grant select on plan_limits, features, plan_features to app_runtime;
grant select, insert, update, delete on plan_limits, plan_billing, features, plan_features to app_platform;
