-- What the billing provider says of an account, in the order in which it happened there, and what is counted against a plan.
alter table accounts
  add column billing_customer_id text unique check (length(billing_customer_id) <= 255),
  add column provider_subscription_id text unique check (length(provider_subscription_id) <= 255),
  add column current_period_end timestamptz(3),
  -- From when months of use are counted; the account's beginning until the provider says otherwise.
  add column billing_anchor timestamptz(3),
  -- The provider's time of the newest event that changed the subscription: an older one changes nothing.
  add column billing_event_at timestamptz(3);

-- Every event that was acted on, so that a copy of it is not.
create table billing_events (
  id          text primary key check (length(id) <= 255),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default app.now()
);
create index billing_events_newest on billing_events (account_id, occurred_at desc, id desc);
alter table billing_events enable row level security;
alter table billing_events force row level security;
create policy own on billing_events for select using (account_id = app.account_id());
create policy own_insert on billing_events for insert with check (account_id = app.account_id());
grant select on billing_events to app_runtime;
grant select, insert on billing_events to app_platform;

-- Takes one event's word for an account's customer and subscription. The account is locked first, so that events are taken one at a time.
--   p_account   whom the event names as the customer's account, if it does; it counts only for a customer that nobody has
--   p_settled   the subscription was asked for after the event: of several events in one second it is the last word
-- Answers applied, unknown_price (applied, but the plan stays), replayed, stale, ignored, tie (nothing done: ask the provider),
-- unknown_customer (nothing kept, so that the event may be sent again later).
create function app.apply_billing_event(
  p_event text, p_at timestamptz, p_customer text, p_account uuid, p_subscription text, p_status text, p_prices text[],
  p_period_end timestamptz, p_anchor timestamptz, p_settled boolean) returns text
language plpgsql set search_path = public, pg_temp as $$
declare
  a accounts;
  v_plan text;
begin
  select * into a from accounts where billing_customer_id = p_customer or provider_subscription_id = p_subscription
   order by billing_customer_id = p_customer desc nulls last limit 1 for no key update;
  if not found then
    select * into a from accounts
     where id = p_account and id <> app.platform_account() and (billing_customer_id is null or subscription_status = 'canceled') for no key update;
    if not found then
      return 'unknown_customer';
    end if;
  end if;
  if exists (select from billing_events where id = p_event) then
    return 'replayed';
  end if;
  if p_subscription is not null and not p_settled and a.billing_event_at = p_at then
    return 'tie';
  end if;
  insert into billing_events (id, account_id, occurred_at) values (p_event, a.id, p_at);
  if a.billing_customer_id is distinct from p_customer and a.provider_subscription_id is distinct from p_subscription then
    update accounts set billing_customer_id = p_customer where id = a.id;
  end if;
  if p_subscription is null then
    return 'applied';
  end if;
  if a.billing_event_at > p_at then
    return 'stale';
  end if;
  -- The end of a former subscription does not end the one that is paid for.
  if a.provider_subscription_id <> p_subscription and p_status in ('unpaid', 'canceled') and a.subscription_status in ('active', 'past_due') then
    return 'ignored';
  end if;
  select b.plan into v_plan from plan_billing b
   where b.provider_monthly_price_id = any (p_prices) or b.provider_annual_price_id = any (p_prices) order by b.sort_order desc limit 1;
  update accounts
     set plan = coalesce(v_plan, plan), subscription_status = p_status, provider_subscription_id = p_subscription, billing_event_at = p_at,
         current_period_end = p_period_end, billing_anchor = coalesce(p_anchor, billing_anchor),
         past_due_since = case when p_status in ('past_due', 'unpaid') then coalesce(past_due_since, p_at) end
   where id = a.id;
  return case when v_plan is null then 'unknown_price' else 'applied' end;
end $$;
revoke execute on function app.apply_billing_event(text, timestamptz, text, uuid, text, text, text[], timestamptz, timestamptz, boolean)
  from app_runtime;

-- What was used of a quota in the month that began at period_start; a row appears with the first use.
create table quota_counters (
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  quota        text not null check (quota in ('ai_builds')),
  period_start timestamptz(3) not null,
  used         integer not null default 0 check (used >= 0),
  primary key (account_id, quota, period_start)
);
alter table quota_counters enable row level security;
alter table quota_counters force row level security;
create policy own on quota_counters using (account_id = app.account_id()) with check (account_id = app.account_id());
grant select, insert, update on quota_counters to app_runtime;
grant select, insert, update, delete on quota_counters to app_platform;

-- The start of the month that is under way at p_at, counted from an anchor, or of one p_months later. A month too short for the anchor's
-- day starts on its last; the anchor itself may still lie ahead.
create function app.month_start(p_anchor timestamptz, p_at timestamptz, p_months integer) returns timestamptz
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  with t as (select p_anchor at time zone 'UTC' as anchor, p_at at time zone 'UTC' as at),
       m as (select t.*, ((extract(year from at) - extract(year from anchor)) * 12 + extract(month from at) - extract(month from anchor))::integer as n from t)
  select (anchor + make_interval(months => n + p_months - case when anchor + make_interval(months => n) > at then 1 else 0 end)) at time zone 'UTC' from m
$$;
create function app.quota_period(a accounts, p_months integer default 0) returns timestamptz language sql stable parallel safe
set search_path = pg_catalog, pg_temp as $$
  select app.month_start(coalesce(a.billing_anchor, a.created_at), app.now(), p_months)
$$;
create function app.ai_builds_used(a accounts) returns integer language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce((select q.used from public.quota_counters q
                    where q.account_id = a.id and q.quota = 'ai_builds' and q.period_start = app.quota_period(a)), 0)
$$;
