-- The billing provider's events, and the use that is counted against a plan.

-- Every processed event. An event whose id is stored has no effect when it is delivered again.
create table billing_events (
  id          text primary key check (length(id) <= 255),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default app.now()
);
create index billing_events_newest on billing_events (account_id, occurred_at desc, id desc);
-- For the deletion of old rows, a batch at a time.
create index billing_events_age on billing_events (received_at);
call app.protect('billing_events', writes => '{}');
create policy own on billing_events for select using (account_id = (select app.signed_account_id()));
create policy own_insert on billing_events for insert with check (account_id = (select app.signed_account_id()));
grant select on billing_events to app_runtime;
-- For `for update`, which needs the right to update a column.
grant select, insert, delete, update (received_at) on billing_events to app_platform;

-- The customers of an account at the billing provider. A deleted customer stays, so that a late event does not link it again. An event may
-- come before the one that names the account; until then account_id is null.
create table billing_customers (
  id          text primary key check (length(id) <= 255),
  account_id  uuid default app.account_id() references accounts on delete cascade,
  -- The provider's time of the newest event that named the account.
  linked_at   timestamptz(3),
  deleted_at  timestamptz(3),
  received_at timestamptz(3) not null default app.now()
);
create index billing_customers_account on billing_customers (account_id, id);
-- For the deletion of rows without an account, a batch at a time.
create index billing_customers_age on billing_customers (received_at) where account_id is null;
call app.protect('billing_customers', writes => '{}');
create policy own on billing_customers for select using (account_id = (select app.signed_account_id()));
create policy own_insert on billing_customers for insert with check (account_id = (select app.signed_account_id()));
grant select on billing_customers to app_runtime;
grant select, insert, update, delete on billing_customers to app_platform;

-- The newest known state of each subscription. `account_id` is null until its customer is linked.
create table billing_subscriptions (
  id                   text primary key check (length(id) <= 255),
  account_id           uuid default app.account_id() references accounts on delete cascade,
  customer_id          text not null check (length(customer_id) <= 255),
  status               text not null check (status in ('active', 'past_due', 'unpaid', 'canceled')),
  -- The plan of its newest price that belongs to one; null if none did.
  plan                 text references plan_limits,
  created_at           timestamptz(3) not null,
  current_period_end   timestamptz(3),
  cancel_at            timestamptz(3),
  cancel_at_period_end boolean not null default false,
  billing_anchor       timestamptz(3),
  past_due_since       timestamptz(3),
  -- The newest applied event and its time at the provider. Older events of this subscription change nothing.
  event_id             text not null,
  event_at             timestamptz(3) not null,
  received_at          timestamptz(3) not null default app.now()
);
create index billing_subscriptions_account on billing_subscriptions (account_id, created_at desc, id desc);
create index billing_subscriptions_plan on billing_subscriptions (plan);
create index billing_subscriptions_customer on billing_subscriptions (customer_id) where account_id is null;
create index billing_subscriptions_age on billing_subscriptions (received_at) where account_id is null;
call app.protect('billing_subscriptions', writes => '{}');
create policy own on billing_subscriptions for select using (account_id = (select app.signed_account_id()));
create policy own_insert on billing_subscriptions for insert with check (account_id = (select app.signed_account_id()));
grant select on billing_subscriptions to app_runtime;
grant select, insert, update, delete on billing_subscriptions to app_platform;

-- The use of a quota in the month that starts at period_start. A quota without a period has one row, at the epoch; it counts what was
-- ever used, also if the row it was used for is deleted. The first use inserts the row.
create table quota_counters (
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  quota        text not null check (quota in ('ai_builds', 'kb_imports')),
  period_start timestamptz(3) not null,
  used         integer not null default 0 check (used >= 0),
  primary key (account_id, quota, period_start)
);
call app.protect('quota_counters');
grant select, insert, update on quota_counters to app_runtime;
grant select, insert, update, delete on quota_counters to app_platform;

-- Returns the start of the month that contains p_at, p_months later, counted from p_anchor. In a month that is too short for the day of the
-- anchor, it is the last day. The anchor may be in the future.
create function app.month_start(p_anchor timestamptz, p_at timestamptz, p_months integer) returns timestamptz
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  with t as (select p_anchor at time zone 'UTC' as anchor, p_at at time zone 'UTC' as at),
       m as (select t.*, ((extract(year from at) - extract(year from anchor)) * 12
                          + extract(month from at) - extract(month from anchor))::integer as n from t)
  select (anchor + make_interval(months => n + p_months - case when anchor + make_interval(months => n) > at then 1 else 0 end))
         at time zone 'UTC' from m
$$;
create function app.quota_period(a accounts, p_months integer default 0) returns timestamptz language sql stable parallel safe
set search_path = pg_catalog, pg_temp as $$
  select app.month_start(coalesce(a.billing_anchor, a.created_at), app.now(), p_months)
$$;
create function app.ai_builds_used(a accounts) returns integer language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce((select q.used from public.quota_counters q
                    where q.account_id = a.id and q.quota = 'ai_builds' and q.period_start = app.quota_period(a)), 0)
$$;

-- Whether the caller is a super admin, to whom the quota does not apply.
create function app.is_past_ai_quota() returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (select from users u where u.account_id = app.account_id() and u.id = app.user_id() and u.is_super_admin)
$$;
-- The caller's AI builds per month; null for no limit.
create function app.ai_builds_limit(a accounts) returns integer language sql stable set search_path = public, pg_temp as $$
  select l.max_ai_builds_per_month from plan_limits l where l.plan = app.plan_of(a) and not app.is_past_ai_quota()
$$;
-- Counts one AI build. Returns false if none is left. Concurrent callers wait for each other's row lock, so the limit is exact.
create function app.count_ai_build() returns boolean language sql set search_path = public, pg_temp as $$
  with m as (select app.quota_period(a) as start, coalesce(app.ai_builds_limit(a), 2147483647) as most, app.is_past_ai_quota() as past
               from accounts a where a.id = app.account_id()),
       counted as (
         insert into quota_counters as q (quota, period_start, used) select 'ai_builds', m.start, 1 from m where m.most > 0 and not m.past
         on conflict (account_id, quota, period_start) do update set used = q.used + 1 where q.used < (select m.most from m)
         returning q.used)
  select exists (select from counted) or exists (select from m where m.past)
$$;
