-- E-mails: who may cause them and how many, which of them wait for quiet hours or a digest, the addresses that get none, and the pace of all.

-- Whether e-mails may leave that this user causes: only with a verified address. Null stands for a job; an account without any verified
-- admin causes none.
create function app.may_send_mail(p_account uuid, p_user uuid) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce(
    (select u.email_verified_at is not null from users u where u.account_id = p_account and u.id = p_user),
    exists (select from users u where u.account_id = p_account and u.role = 'admin' and u.is_active and u.email_verified_at is not null))
$$;

-- Records who set the addresses of a config, and refuses them from a user without a verified address.
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

-- Until when the preferences of its recipient hold a message about an event; null if it may be sent at once.
create function app.held_until(d deliveries) returns timestamptz language sql stable set search_path = public, pg_temp as $$
  select app.mail_held_until(p, u.timezone, app.now())
    from users u join mail_preferences p on p.account_id = u.account_id and p.user_id = u.id
   where u.account_id = d.account_id and u.id = d.user_id
$$;

-- Returns the addresses of a config to which a delivery of it is sent. Of the configs of an event that have one address, one sends to it: the
-- one that has, else the first that was admitted.
create function app.mail_addresses(p_account uuid, p_event uuid, p_delivery uuid, p_config uuid) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select coalesce(jsonb_agg(a.address order by a.n), '[]')
    from notification_configs c, jsonb_array_elements_text(c.email_addresses) with ordinality a (address, n)
   where c.account_id = p_account and c.id = p_config
     and not exists (
       select from deliveries o join notification_configs oc on oc.account_id = o.account_id and oc.id = o.config_id,
                   jsonb_array_elements_text(oc.email_addresses) other
        where o.account_id = p_account and o.event_id = p_event and o.channel = 'email' and o.id <> p_delivery
          and (o.state = 'delivered' or o.id < p_delivery and not (o.state = 'failed' and o.attempts = 0)) and lower(other) = lower(a.address))
$$;

-- Admits an e-mail when its delivery is stored or retried by a user. A user who asks for one e-mail gets an error; what follows from
-- something else, such as an escalation, is stored as failed. An e-mail about an event to a user who wants it later is held. It is not
-- counted: its digest is. Whatever inserts deliveries passes here,
-- except e-mails about the recipient's own sign-in or the deletion of the account, and those to the platform's own addresses.
create function app.admit_mail() returns trigger language plpgsql set search_path = public, pg_temp as $$
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
    select coalesce(e.caused_by, e.actor_id), app.is_urgent(e)
      into sender, is_urgent from events e where e.account_id = new.account_id and e.id = new.event_id;
  end if;
  is_verified := app.may_send_mail(new.account_id, sender);
  if new.config_id is not null and new.recipient is null then
    select c.set_up_by, jsonb_array_length(app.mail_addresses(c.account_id, new.event_id, new.id, c.id)) into author, new.mails
      from notification_configs c where c.account_id = new.account_id and c.id = new.config_id;
    -- Other configs send it to all of them.
    if new.mails = 0 and not is_retry then
      return null;
    end if;
    is_verified := is_verified and app.may_send_mail(new.account_id, author);
  end if;
  if is_verified and not is_urgent and new.config_id is null and new.purpose is null then
    new.held_until := app.held_until(new);
    if new.held_until is not null then
      new.state := 'held';
      new.next_attempt_at := null;
      return new;
    end if;
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
    'verify_email', 'reset_password', 'change_email', 'email_change_requested', 'email_changed', 'identity_linked', 'identity_unlinked', 'password_changed', 'chat_user_linked', 'phone_number_added', 'program_added', 'second_factor_added', 'second_factor_removed', 'sign_in_without_sso',
    'sales_lead', 'feedback', 'account_deletion_requested', 'account_deletion_cancelled')
$$;
-- What the preferences of its recipient hold until they have no quiet hours is not shown by a browser either: its e-mail waits for the digest.
create function app.admit_push() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if app.held_until(new) is not null
     and not (select app.is_urgent(e) from events e where e.account_id = new.account_id and e.id = new.event_id) then
    return null;
  end if;
  return new;
end $$;
create trigger admit_push before insert on deliveries for each row
  when (new.channel in ('web_push', 'sms', 'voice') and new.event_id is not null) execute function app.admit_push();
create trigger admit_mail before insert on deliveries for each row
  when (app.is_limited_mail(new)) execute function app.admit_mail();
create trigger admit_retry before update of state on deliveries for each row
  when (old.state = 'failed' and new.state = 'retrying' and app.user_id() is not null and app.is_limited_mail(new))
  execute function app.admit_mail();

-- Whether somebody has taken or acknowledged the escalation of a session that an event is about, or it is over. A later escalation does not count.
create function app.is_escalation_taken(e events, p_session uuid) returns boolean language plpgsql stable set search_path = public, pg_temp as $$
begin
  return exists (select from ai_sessions s where s.account_id = e.account_id and s.id = p_session
                    and s.status not in ('requesting_escalation', 'escalated'))
      or coalesce((select h.claimed_by is not null or h.picked_up_at is not null or h.closed_at is not null
                       or exists (select from escalation_follow_ups f where f.account_id = h.account_id and f.session_id = h.session_id
                                     and f.handoff_id = h.id and f.acknowledged_at is not null)
                     from ai_handoffs h
                    where h.account_id = e.account_id and h.session_id = p_session and h.intent = 'escalate' and h.created_at <= e.created_at
                    order by h.created_at desc, h.id desc limit 1), false);
end $$;
-- Returns what has happened to the matter of an event by now: `read` (by this user, in the app), `taken` (the escalation), `decided` (the request or
-- proposal), `closed` (the session has ended). `lib/rules/events/late-messages.ts` decides what a message does then.
create function app.what_happened(e events, p_user uuid) returns text[] language plpgsql stable set search_path = public, pg_temp as $$
declare
  parts constant text[] := regexp_match(e.link, '^/(pilot|sessions|flow-proposals)/([0-9a-f-]{36})(\?pickup=true)?');
  kind constant text := parts[1];
  subject constant uuid := parts[2]::uuid;
begin
  return array_remove(array[
    case when exists (select from notifications n where n.account_id = e.account_id and n.event_id = e.id and n.user_id = p_user and n.is_read)
      then 'read' end,
    case when parts[3] is not null and app.is_escalation_taken(e, subject) then 'taken' end,
    case when e.approval is not null and not exists (
                select from approvals a where a.account_id = e.account_id and a.id = (e.approval ->> 'approval_id')::uuid
                   and a.state = 'pending' and a.expires_at > app.now())
           or kind = 'flow-proposals' and exists (
                select from flow_proposals f where f.account_id = e.account_id and f.id = subject and f.status <> 'pending')
           or e.key = 'oncall.substitute_requested' and not exists (
                select from on_call_substitute_requests r
                 where r.account_id = e.account_id and r.id::text = split_part(e.link, '?substitute=', 2) and r.state = 'open'
                   and r.starts_at > app.now())
           or e.review is not null and not exists (
                select from jsonb_array_elements(e.review -> 'flows') f join trees t on t.account_id = e.account_id
                   and t.id = (f ->> 'tree_id')::uuid and t.review_due_on::text = f ->> 'due_on')
      then 'decided' end,
    case when kind = 'pilot' and exists (
                select from ai_sessions s where s.account_id = e.account_id and s.id = subject and s.status in ('resolved', 'abandoned', 'archived'))
           or kind = 'sessions' and exists (
                select from sessions s where s.account_id = e.account_id and s.id = subject and s.state in ('completed', 'abandoned'))
      then 'closed' end], null);
end $$;
-- Returns why an e-mail to a user is not needed any more, else null. `p_late` has the reasons by event and by what has happened.
create function app.why_needless(d deliveries, p_late jsonb) returns text language plpgsql stable set search_path = public, pg_temp as $$
begin
  return (select p_late -> e.key ->> happened
            from events e cross join unnest(app.what_happened(e, d.user_id)) with ordinality h (happened, place)
           where e.account_id = d.account_id and e.id = d.event_id and p_late -> e.key ? happened order by place limit 1);
end $$;
-- Puts the held e-mails of up to `p_limit` users whose time has come into one digest per user. Returns the digests to publish.
-- The row of the preferences is locked, so that two processes do not send two digests of one night. A digest contains exactly the e-mails
-- that the same statement has changed, so an e-mail whose transaction commits later gets a digest of its own, and none is lost.
create function app.write_digests(p_limit integer, p_late jsonb default '{}') returns setof uuid language sql set search_path = public, pg_temp as $$
  with people as materialized (
    select distinct d.account_id, d.user_id from deliveries d where d.state = 'held' and d.held_until <= app.now() limit p_limit
  ), locked as materialized (
    select p.account_id, p.user_id, uuidv7() as digest_id
      from mail_preferences p join people using (account_id, user_id) for update of p skip locked
  ), listed as (
    update deliveries d set state = case when w.reason is null then 'in_digest' else 'failed' end,
                            digest_id = case when w.reason is null then l.digest_id end,
                            last_error = w.reason
      from locked l
      join users u on u.account_id = l.account_id and u.id = l.user_id
      join deliveries h on h.account_id = l.account_id and h.user_id = l.user_id and h.state = 'held' and h.held_until <= app.now()
      cross join lateral (
        select case when u.is_active then app.why_needless(h, p_late) else 'The recipient was deactivated' end as reason) w
     where d.id = h.id and d.account_id = l.account_id and d.user_id = l.user_id and d.state = 'held' and d.held_until <= app.now()
    returning d.account_id, d.user_id, d.digest_id
  ), digests as (
    insert into deliveries (id, account_id, channel, recipient, purpose, user_id)
    select distinct l.digest_id, l.account_id, 'email', u.email, 'digest', l.user_id
      from listed l join users u on u.account_id = l.account_id and u.id = l.user_id where l.digest_id is not null
    returning id, state
  )
  select id from digests where state = 'pending'
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
-- Addresses that the mail provider cannot or may not write to, by a hash. `complained`: the recipient called an e-mail spam; `suppressed`: it is on
-- the provider's own list. A row stays after its problem was lifted, so that an event that comes again or late does not bring it back.
create table mail_problems (
  address_hash bytea primary key,
  kind         text not null check (kind in ('bounced', 'complained', 'suppressed')),
  occurred_at  timestamptz(3) not null,
  lifted_at    timestamptz(3),
  created_at   timestamptz(3) not null default app.now()
);
grant select, insert, update on mail_problems to app_platform;
-- Records an event of the provider. The newest decides, but only who complained can take that back. Returns whether anything changed.
create function app.record_mail_problem(p_address text, p_kind text, p_at timestamptz) returns boolean
language plpgsql set search_path = public, pg_temp as $$
begin
  insert into mail_problems as m (address_hash, kind, occurred_at) values (app.address_hash(p_address), p_kind, least(p_at, app.now()))
  on conflict (address_hash) do update
    set kind = case when m.lifted_at is null and m.kind = 'complained' then m.kind else excluded.kind end,
        occurred_at = excluded.occurred_at, lifted_at = null
   where excluded.occurred_at > greatest(m.occurred_at, m.lifted_at);
  return found;
end $$;
-- The problem of an address, for those who write to it. Security definer, because the table belongs to no account.
create function app.mail_problem(p_address text) returns json language sql stable security definer set search_path = public, pg_temp as $$
  select json_build_object('kind', m.kind, 'occurred_at', app.iso(m.occurred_at)) from mail_problems m
   where m.address_hash = app.address_hash(p_address) and m.lifted_at is null
$$;
-- Volatile, so that the answer to a change of a config shows what the trigger below has ended.
create function app.list_mail_problems(p_addresses jsonb) returns json language sql volatile security definer set search_path = public, pg_temp as $$
  select coalesce(json_agg(json_build_object('address', a.address, 'kind', m.kind, 'occurred_at', app.iso(m.occurred_at)) order by a.n), '[]')
    from jsonb_array_elements_text(coalesce(p_addresses, '[]')) with ordinality a (address, n)
    join mail_problems m on m.address_hash = app.address_hash(a.address) and m.lifted_at is null
$$;
-- Lets e-mails go to addresses again. Only the owner of an address can take back a complaint.
create function app.lift_mail_problems(p_addresses text[], p_is_owner boolean) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  n integer;
begin
  update mail_problems m set lifted_at = app.now()
   where m.lifted_at is null and (p_is_owner or m.kind <> 'complained')
     and m.address_hash = any (array(select app.address_hash(a) from unnest(p_addresses) a));
  get diagnostics n = row_count;
  return n;
end $$;
revoke execute on function app.lift_mail_problems(text[], boolean) from app_runtime;
-- Ends the problem of a member's address for an admin. Returns whether a complaint is left; null for an unknown member.
create function app.end_email_problem(p_user uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_email text;
begin
  perform app.require_scope();
  v_email := (select u.email from users u where u.account_id = app.account_id() and u.id = p_user and not u.is_service and u.erased_at is null);
  if app.lift_mail_problems(array[v_email], false) > 0 then
    insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, ip)
    values (app.account_id(), app.user_id(), 'email_problem.deleted', 'email_problem', p_user, app.client_address());
  end if;
  return case when v_email is not null then coalesce(app.mail_problem(v_email) ->> 'kind' = 'complained', false) end;
end $$;
-- Whoever opens a link of an e-mail gets e-mails again: it has arrived.
create function app.lift_by_link() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.lift_mail_problems(array[u.email], true) from users u where u.id = new.user_id;
  return null;
end $$;
create trigger lift_mail_problem after update of used_at on one_time_tokens for each row
  when (old.used_at is null and new.used_at is not null) execute function app.lift_by_link();
-- An admin who enters addresses of a config again has checked them.
create function app.lift_by_config() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.lift_mail_problems(array(select jsonb_array_elements_text(new.email_addresses)), false);
  return new;
end $$;
create trigger lift_mail_problems before update of email_addresses on notification_configs for each row
  when (new.email_addresses is not null) execute function app.lift_by_config();
-- Moves the e-mails that wait for the end of somebody's quiet hours, or for their digest, to the time that applies now.
create function app.move_held_mails(p_account uuid, p_user uuid) returns void language sql set search_path = public, pg_temp as $$
  update deliveries d set held_until = coalesce(app.mail_held_until(p, u.timezone, app.now()), app.now())
    from mail_preferences p join users u on u.account_id = p.account_id and u.id = p.user_id
   where p.account_id = p_account and p.user_id = p_user
     and d.account_id = p.account_id and d.user_id = p.user_id and d.state = 'held'
$$;
-- Security definer, because an admin may change the time zone of a member.
create function app.follow_timezone() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.move_held_mails(new.account_id, new.id);
  return null;
end $$;
create trigger held_mails after update of timezone on users for each row
  when (old.timezone is distinct from new.timezone) execute function app.follow_timezone();
create trigger end_suppression after insert on users for each row
  when (new.email_verified_at is not null) execute function app.end_suppression();
create trigger end_suppression_later after update of email_verified_at on users for each row
  when (old.email_verified_at is null and new.email_verified_at is not null) execute function app.end_suppression();

-- E-mails are sent in batches, at one pace for the whole service.

-- The deliveries of a call with several e-mails. Read by the platform role only, because a call contains e-mails of several accounts.
create table mail_batches (
  key          text primary key,
  delivery_ids uuid[] not null,
  created_at   timestamptz(3) not null default app.now()
);
create index mail_batches_age on mail_batches (created_at);
grant select, insert, update, delete on mail_batches to app_platform;

-- One row: when the mail provider may be called next, by any process.
create table mail_pace (
  id           boolean primary key default true check (id),
  next_call_at timestamptz(3) not null default app.now(),
  -- The provider asked to wait until then.
  paused_until timestamptz(3) not null default app.now()
);
insert into mail_pace default values;
grant select, update on mail_pace to app_platform;
