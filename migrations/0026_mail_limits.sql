-- Who may cause e-mails and how many, and the addresses that get none.
alter table plan_limits
  add column max_mails_per_day integer default 500,
  add column max_notification_configs integer default 10,
  add constraint plan_limits_mails check (max_mails_per_day >= 0) not valid,
  add constraint plan_limits_configs check (max_notification_configs >= 0) not valid;
update plan_limits set max_mails_per_day = 50 where plan = 'free';

-- One row per account. Whatever checks a quota locks it first, so that concurrent requests see one another's rows.
create table account_usage (
  account_id uuid primary key default app.account_id() references accounts on delete cascade
);
call app.protect('account_usage');
grant select, insert, update on account_usage to app_runtime;
grant select, insert, update, delete on account_usage to app_platform;
create function app.lock_usage(p_account uuid) returns void language plpgsql set search_path = public, pg_temp as $$
begin
  -- An account that is being deleted takes its rows with it, and has no quota any more.
  insert into account_usage (account_id) select a.id from accounts a where a.id = p_account on conflict do nothing;
  perform from account_usage u where u.account_id = p_account for no key update;
end $$;

-- The limit of a quota: that of the plan, in a trial at most that of a trial. Null for no limit.
create function app.quota_limit(p_account uuid, p_quota text) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select case p_quota
           when 'mails_per_day' then least(l.max_mails_per_day, case when app.subscription_of(a) = 'trialing' then 50 end)
           when 'notification_configs' then l.max_notification_configs
         end
    from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = p_account
$$;
create function app.quota_used(p_account uuid, p_quota text) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select case p_quota
           when 'notification_configs' then (select count(*) from notification_configs c where c.account_id = p_account)
         end
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
-- Keeps the quota that the argument names. A trigger after each statement that inserts rows, which it calls `added`.
create function app.keep_quota() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform app.check_quota(a.account_id, tg_argv[0]) from (select distinct account_id from added order by account_id) a;
  return null;
end $$;
create trigger quota after insert on notification_configs referencing new table as added
  for each statement execute function app.keep_quota('notification_configs');

-- Whether e-mails may leave that this user causes: only with a verified address. Null stands for a job; an account without any verified
-- admin causes none.
create function app.may_send_mail(p_account uuid, p_user uuid) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce(
    (select u.email_verified_at is not null from users u where u.account_id = p_account and u.id = p_user),
    exists (select from users u where u.account_id = p_account and u.role = 'admin' and u.is_active and u.email_verified_at is not null))
$$;

-- Who set the addresses of a config. Null for a config that is older than this column.
alter table notification_configs add column set_up_by uuid;
alter table notification_configs
  add constraint notification_configs_recipients check (jsonb_array_length(coalesce(email_addresses, '[]')) <= 20) not valid;
create function app.record_config_author() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if app.user_id() is not null and new.channel = 'email' and not app.may_send_mail(new.account_id, app.user_id()) then
    raise exception 'email not verified' using errcode = 'SF4EV';
  end if;
  if tg_op = 'INSERT' or new.email_addresses is distinct from old.email_addresses then
    new.set_up_by := coalesce(app.user_id(), new.set_up_by);
  end if;
  return new;
end $$;
create trigger author before insert or update on notification_configs for each row execute function app.record_config_author();

-- The e-mails of an account per day (UTC): those that were allowed, and those that were refused for want of verification or limit.
create table mail_counts (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  -- Midnight in UTC.
  day        timestamptz(3) not null,
  sent       integer not null default 0 check (sent >= 0),
  refused    integer not null default 0 check (refused >= 0),
  primary key (account_id, day)
);
create index mail_counts_day on mail_counts (day);
call app.protect('mail_counts');
grant select, insert, update on mail_counts to app_runtime;
grant select, insert, update, delete on mail_counts to app_platform;

-- The user whose work a job reports, such as the owner of a schedule; otherwise the actor. Null for a row that is older than this column.
alter table events add column caused_by uuid;
-- The number of e-mails that were counted for a delivery. It is not sent to more addresses.
alter table deliveries add column mails integer not null default 1;

-- Counts e-mails before they are stored. Returns false and counts them as refused if the limit does not allow all of them. Concurrent
-- callers wait for each other's row lock, so the limit is exact.
create function app.count_mails(p_account uuid, p_mails integer) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare
  today constant timestamptz := date_trunc('day', app.now(), 'UTC');
  most constant bigint := coalesce(app.quota_limit(p_account, 'mails_per_day'), 2147483647);
begin
  insert into mail_counts as m (account_id, day, sent) select p_account, today, p_mails where p_mails <= most
  on conflict (account_id, day) do update set sent = m.sent + excluded.sent where m.sent + excluded.sent <= most;
  if found then
    return true;
  end if;
  perform app.count_refused_mails(p_account, p_mails);
  return false;
end $$;
create function app.count_refused_mails(p_account uuid, p_mails integer) returns void
language sql set search_path = public, pg_temp as $$
  insert into mail_counts as m (account_id, day, refused) values (p_account, date_trunc('day', app.now(), 'UTC'), p_mails)
  on conflict (account_id, day) do update set refused = m.refused + excluded.refused
$$;
create function app.mails_sent_today(p_account uuid) returns bigint language sql stable set search_path = public, pg_temp as $$
  select coalesce((select m.sent from mail_counts m where m.account_id = p_account and m.day = date_trunc('day', app.now(), 'UTC')), 0)
$$;

-- Admits an e-mail when its delivery is stored or retried by a user. A user who asks for one e-mail gets an error; what follows from
-- something else, such as an escalation, is stored as failed. Whatever inserts deliveries passes here, except e-mails about the
-- recipient's own sign-in and those to the platform's own addresses.
create function app.admit_mail() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  is_retry constant boolean := tg_op = 'UPDATE';
  is_direct constant boolean :=
    app.user_id() is not null and (is_retry or (new.event_id is null and new.purpose is distinct from 'feedback_receipt'));
  sender uuid := app.user_id();
  author uuid;
  is_verified boolean;
begin
  if new.event_id is not null and not is_retry then
    select coalesce(e.caused_by, e.actor_id) into sender from events e where e.account_id = new.account_id and e.id = new.event_id;
  end if;
  is_verified := app.may_send_mail(new.account_id, sender);
  if new.config_id is not null and new.recipient is null then
    select c.set_up_by, jsonb_array_length(c.email_addresses) into author, new.mails
      from notification_configs c where c.account_id = new.account_id and c.id = new.config_id;
    is_verified := is_verified and app.may_send_mail(new.account_id, author);
  end if;
  if not is_verified then
    if is_direct then
      raise exception 'email not verified' using errcode = 'SF4EV';
    end if;
    perform app.count_refused_mails(new.account_id, new.mails);
    new.last_error := 'The sender has not verified their e-mail address';
  elsif not app.count_mails(new.account_id, new.mails) then
    if is_direct then
      perform app.raise_limit_reached(
        'mails_per_day', app.mails_sent_today(new.account_id), app.quota_limit(new.account_id, 'mails_per_day'));
    end if;
    new.last_error := format('The account has reached its limit of %s e-mails per day', app.quota_limit(new.account_id, 'mails_per_day'));
  else
    return new;
  end if;
  new.state := 'failed';
  new.next_attempt_at := null;
  return new;
end $$;
create function app.is_limited_mail(d deliveries) returns boolean language sql immutable parallel safe as $$
  select d.channel = 'email' and coalesce(d.purpose, '') not in (
    'verify_email', 'reset_password', 'second_factor_added', 'second_factor_removed', 'sales_lead', 'feedback')
$$;
create trigger admit_mail before insert on deliveries for each row
  when (app.is_limited_mail(new)) execute function app.admit_mail();
create trigger admit_retry before update of state on deliveries for each row
  when (old.state = 'failed' and new.state = 'retrying' and app.user_id() is not null and app.is_limited_mail(new))
  execute function app.admit_mail();

-- As before, with the user who caused the event, and without the deliveries that are stored as failed.
create function app.emit(p_key text, p_actor uuid, p_team uuid, p_users uuid[], p_admins boolean, p_mail_each boolean,
                                    p_title text, p_body text, p_link text, p_cause uuid,
                                    out delivery_ids uuid[], out user_ids uuid[])
language sql set search_path = public, pg_temp as $$
  with event as (
    insert into events (key, actor_id, caused_by, title, body, link)
    values (p_key, p_actor, coalesce(p_cause, p_actor), p_title, p_body, p_link) returning id
  ), recipients as (
    select u.id, u.email from users u
     where u.account_id = app.account_id() and u.is_active
       and (u.id = any (p_users)
            or (p_admins and u.id is distinct from p_actor
                and (u.role = 'admin' or (u.team_role = 'admin' and u.team_id = p_team))))
  ), inbox as (
    insert into notifications (user_id, event_id, event_key, title, body, link)
    select r.id, e.id, p_key, p_title, p_body, p_link from recipients r, event e
  ), matching as (
    select c.id, c.channel, c.email_addresses from notification_configs c
     where c.account_id = app.account_id() and c.events_enabled ? p_key
  ), configured as (
    insert into deliveries (config_id, event_id, event_key, channel)
    select m.id, e.id, p_key, m.channel from matching m, event e returning id, state
  ), personal as (
    insert into deliveries (event_id, event_key, channel, recipient)
    select e.id, p_key, 'email', r.email from recipients r, event e
     where p_mail_each and not exists (
       select from matching m, jsonb_array_elements_text(m.email_addresses) a
        where m.channel = 'email' and lower(a) = lower(r.email))
    returning id, state
  )
  select array(select id from configured where state = 'pending' union all select id from personal where state = 'pending'),
         array(select id from recipients)
$$;
-- As the previous version of the service calls it.
create or replace function app.emit(p_key text, p_actor uuid, p_team uuid, p_users uuid[], p_admins boolean, p_mail_each boolean,
                                    p_title text, p_body text, p_link text,
                                    out delivery_ids uuid[], out user_ids uuid[])
language sql set search_path = public, pg_temp as $$
  select e.delivery_ids, e.user_ids
    from app.emit(p_key, p_actor, p_team, p_users, p_admins, p_mail_each, p_title, p_body, p_link, p_actor) e
$$;

-- Addresses whose owner has unsubscribed from every e-mail of the service, except those about their own sign-in. Only a hash is stored.
create table mail_suppressions (
  address_hash bytea primary key,
  created_at   timestamptz(3) not null default app.now()
);
grant select, insert, delete on mail_suppressions to app_platform;
create function app.address_hash(p_address text) returns bytea language sql immutable parallel safe as $$
  select sha256(convert_to(lower(p_address), 'UTF8'))
$$;
-- Whoever verifies an address subscribes it again. Registering alone does not, because anybody could register it.
create function app.end_suppression() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from mail_suppressions where address_hash = app.address_hash(new.email);
  return null;
end $$;
create trigger end_suppression after insert on users for each row
  when (new.email_verified_at is not null) execute function app.end_suppression();
create trigger end_suppression_later after update of email_verified_at on users for each row
  when (old.email_verified_at is null and new.email_verified_at is not null) execute function app.end_suppression();
