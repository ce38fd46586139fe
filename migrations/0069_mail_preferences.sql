-- What each user gets by e-mail and when: quiet hours, and digests of the e-mails that were held.

create table mail_preferences (
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  user_id      uuid not null default app.user_id(),
  -- Events that are announced by e-mail besides those that always are.
  email_events text[] not null default '{}',
  -- The days on which quiet hours begin: 0 is Sunday. Empty for none.
  quiet_days   integer[] not null default '{}' check (quiet_days <@ array[0, 1, 2, 3, 4, 5, 6]),
  -- Local times of the user. Quiet hours that do not end later than they begin end on the next day.
  quiet_from   time not null default '22:00',
  quiet_to     time not null default '06:00',
  digest       text not null default 'off' check (digest in ('off', 'hourly', 'daily')),
  -- The local time of a daily digest.
  digest_time  time not null default '08:00',
  updated_at   timestamptz(3) not null default app.now(),
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  check (cardinality(quiet_days) < 7 or quiet_from <> quiet_to)
);
call app.protect('mail_preferences');
grant select, insert, update on mail_preferences to app_runtime;
-- For `for update`, which needs the right to update a column.
grant select, delete, update (updated_at) on mail_preferences to app_platform;

-- An e-mail that is held has no next attempt. `user_id` is its recipient.
alter table deliveries
  add column held_until timestamptz(3),
  -- The digest that contains it. No foreign key: a digest is deleted earlier than the events that it lists.
  add column digest_id uuid,
  drop constraint deliveries_state_check,
  add constraint deliveries_state_check check (state in ('pending', 'retrying', 'held', 'in_digest', 'delivered', 'failed')) not valid,
  add constraint deliveries_held check (state <> 'held' or (held_until is not null and user_id is not null)) not valid,
  drop constraint deliveries_purpose_check,
  add constraint deliveries_purpose_check check (
    purpose in ('verify_email', 'reset_password', 'invite', 'sales_lead', 'feedback', 'feedback_receipt', 'second_factor_added',
                'second_factor_removed', 'webhook_disabled', 'export_ready', 'export_failed', 'account_deletion_requested',
                'account_deletion_cancelled', 'digest')) not valid,
  drop constraint deliveries_subject_check,
  add constraint deliveries_subject_check check (
    case when purpose is null then num_nonnulls(invite_id, sales_lead_id, feedback_id) = 0 and (user_id is null or held_until is not null)
         when purpose = 'invite' then invite_id is not null
         when purpose = 'sales_lead' then sales_lead_id is not null
         when purpose in ('feedback', 'feedback_receipt') then feedback_id is not null
         else user_id is not null end) not valid;

-- The end of the quiet hours that contain `p_time`; null if it is outside of them.
create function app.quiet_hours_end(p mail_preferences, p_timezone text, p_time timestamptz) returns timestamptz
language sql stable set search_path = public, pg_temp as $$
  select max(period.ends_at) from generate_series(0, 1) ago,
    lateral (select (p_time at time zone p_timezone)::date - ago as day) begun,
    lateral (select (day + p.quiet_from) at time zone p_timezone as starts_at,
                    (day + case when p.quiet_to <= p.quiet_from then 1 else 0 end + p.quiet_to) at time zone p_timezone as ends_at) period
   where extract(dow from day)::integer = any (p.quiet_days) and period.starts_at <= p_time and p_time < period.ends_at
$$;

-- When an e-mail of `p_time` may be sent to a user: at their next digest, and not in their quiet hours. Null if at once.
create function app.mail_held_until(p mail_preferences, p_timezone text, p_time timestamptz) returns timestamptz
language plpgsql stable set search_path = public, pg_temp as $$
declare
  due timestamptz := p_time;
  quiet_end timestamptz;
begin
  if p.digest = 'hourly' then
    due := date_trunc('hour', p_time) + interval '1 hour';
  elsif p.digest = 'daily' then
    due := ((p_time at time zone p_timezone)::date + p.digest_time) at time zone p_timezone;
    if due <= p_time then
      due := ((p_time at time zone p_timezone)::date + 1 + p.digest_time) at time zone p_timezone;
    end if;
  end if;
  -- Quiet hours can follow one another, such as those of Saturday and Sunday.
  for n in 1..8 loop
    quiet_end := app.quiet_hours_end(p, p_timezone, due);
    exit when quiet_end is null;
    due := quiet_end;
  end loop;
  return case when due > p_time then due end;
exception when invalid_parameter_value then
  -- PostgreSQL does not know the time zone: a late e-mail is worse than one at night.
  return null;
end $$;

-- As before, and holds an e-mail about an event to a user who wants it later. It is not counted: its digest is. What is urgent and the
-- reminders of an escalation policy are sent at once.
create or replace function app.admit_mail() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  is_retry constant boolean := tg_op = 'UPDATE';
  is_direct constant boolean :=
    app.user_id() is not null and (is_retry or (new.event_id is null and new.purpose is distinct from 'feedback_receipt'));
  sender uuid := app.user_id();
  author uuid;
  is_verified boolean;
  is_urgent boolean;
begin
  if new.event_id is not null and not is_retry then
    select coalesce(e.caused_by, e.actor_id), coalesce(e.escalation ->> 'urgency' in ('high', 'critical'), false) or e.key = 'escalation.reminded'
      into sender, is_urgent from events e where e.account_id = new.account_id and e.id = new.event_id;
  end if;
  is_verified := app.may_send_mail(new.account_id, sender);
  if new.config_id is not null and new.recipient is null then
    select c.set_up_by, jsonb_array_length(c.email_addresses) into author, new.mails
      from notification_configs c where c.account_id = new.account_id and c.id = new.config_id;
    is_verified := is_verified and app.may_send_mail(new.account_id, author);
  end if;
  if is_verified and not is_urgent and new.config_id is null and new.purpose is null then
    select u.id, app.mail_held_until(p, u.timezone, app.now()) into new.user_id, new.held_until
      from users u join mail_preferences p on p.account_id = u.account_id and p.user_id = u.id
     where u.account_id = new.account_id and lower(u.email) = lower(new.recipient);
    if new.held_until is not null then
      new.state := 'held';
      new.next_attempt_at := null;
      return new;
    end if;
    new.user_id := null;
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

-- As before, and sends an e-mail also to a recipient whose preferences name the event.
create or replace function app.emit(p_key text, p_actor uuid, p_team uuid, p_users uuid[], p_admins boolean, p_mail_each boolean,
                                    p_title text, p_body text, p_link text, p_cause uuid, p_escalation jsonb,
                                    out delivery_ids uuid[], out user_ids uuid[])
language sql set search_path = public, pg_temp as $$
  with event as (
    insert into events (key, actor_id, caused_by, title, body, link, escalation)
    values (p_key, p_actor, coalesce(p_cause, p_actor), p_title, p_body, p_link, p_escalation) returning id
  ), recipients as (
    select u.id, u.email from users u
     where u.account_id = app.account_id() and u.is_active
       and (u.id = any (p_users)
            or (p_admins and u.id is distinct from p_actor
                and (u.role = 'admin' or (u.team_role = 'admin' and u.team_id = p_team))))
  ), inbox as (
    insert into notifications (user_id, event_id, event_key, title, body, link, escalation)
    select r.id, e.id, p_key, p_title, p_body, p_link, p_escalation from recipients r, event e
  ), matching as (
    select c.id, c.channel, c.email_addresses from notification_configs c
     where c.account_id = app.account_id() and c.events_enabled ? p_key
  ), configured as (
    insert into deliveries (config_id, event_id, event_key, channel)
    select m.id, e.id, p_key, m.channel from matching m, event e returning id, state
  ), personal as (
    insert into deliveries (event_id, event_key, channel, recipient)
    select e.id, p_key, 'email', r.email from recipients r, event e
     where (p_mail_each or exists (select from mail_preferences p
                                    where p.account_id = app.account_id() and p.user_id = r.id and p_key = any (p.email_events)))
       and not exists (
       select from matching m, jsonb_array_elements_text(m.email_addresses) a
        where m.channel = 'email' and lower(a) = lower(r.email))
    returning id, state
  )
  select array(select id from configured where state = 'pending' union all select id from personal where state = 'pending'),
         array(select id from recipients)
$$;

-- Puts the held e-mails of up to `p_limit` users whose time has come into one digest per user. Returns the digests to publish.
-- The row of the preferences is locked, so that two processes do not send two digests of one night. A digest contains exactly the e-mails
-- that the same statement has changed, so an e-mail whose transaction commits later gets a digest of its own, and none is lost.
create function app.write_digests(p_limit integer) returns setof uuid language sql set search_path = public, pg_temp as $$
  with people as materialized (
    select distinct d.account_id, d.user_id from deliveries d where d.state = 'held' and d.held_until <= app.now() limit p_limit
  ), locked as materialized (
    select p.account_id, p.user_id, uuidv7() as digest_id
      from mail_preferences p join people using (account_id, user_id) for update of p skip locked
  ), listed as (
    update deliveries d set state = case when u.is_active then 'in_digest' else 'failed' end,
                            digest_id = case when u.is_active then l.digest_id end,
                            last_error = case when not u.is_active then 'The recipient was deactivated' end
      from locked l join users u on u.account_id = l.account_id and u.id = l.user_id
     where d.account_id = l.account_id and d.user_id = l.user_id and d.state = 'held' and d.held_until <= app.now()
    returning d.account_id, d.user_id, d.digest_id
  ), digests as (
    insert into deliveries (id, account_id, channel, recipient, purpose, user_id)
    select distinct l.digest_id, l.account_id, 'email', u.email, 'digest', l.user_id
      from listed l join users u on u.account_id = l.account_id and u.id = l.user_id where l.digest_id is not null
    returning id, state
  )
  select id from digests where state = 'pending'
$$;
