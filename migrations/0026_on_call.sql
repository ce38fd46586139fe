-- On-call schedules: who is on call when, by rotations and overrides, and who asks for a substitute. Escalation policies. Alerts of monitoring, which open cases.

-- Whether the caller may change what belongs to a team, or to the whole account if `p_team` is null.
create function app.administers(p_team uuid) returns boolean language sql stable parallel safe as $$
  select coalesce(app.role() = 'admin', false) or (coalesce(p_team = app.team_id(), false) and coalesce(app.team_role() = 'admin', false))
$$;

create table on_call_schedules (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  -- Null for the whole account.
  team_id    uuid,
  name       text not null check (length(name) between 1 and 200),
  timezone   text not null check (length(timezone) between 1 and 100),
  -- Sorted by their first day; each applies until the next one begins. `lib/rules/oncall/schema.ts` has their shape.
  rotations  jsonb not null check (jsonb_typeof(rotations) = 'array' and jsonb_array_length(rotations) <= 10),
  version    integer not null default 1,
  -- When the sweep looks whose shift begins next: an hour before it, and at once after a change.
  notice_at  timestamptz(3) not null default app.now(),
  -- When its shifts, or a name in them, last changed: calendars tell by it which copy of a shift is newer.
  shifts_changed_at timestamptz(3) not null default app.now(),
  created_by uuid not null default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  updated_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create index on_call_schedules_name on on_call_schedules (account_id, name collate "und-x-icu", id);
create index on_call_schedules_team on on_call_schedules (account_id, team_id);
create index on_call_schedules_creator on on_call_schedules (account_id, created_by);
-- For the sweep, which reads those of all accounts as the platform role.
create index on_call_schedules_notice on on_call_schedules (notice_at);
create trigger audit after insert or update of team_id, name, timezone, rotations or delete on on_call_schedules
  for each row execute function app.audit('on_call_schedule');

create table on_call_overrides (
  id          uuid not null default uuidv7(),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  schedule_id uuid not null,
  user_id     uuid not null,
  starts_at   timestamptz(3) not null,
  ends_at     timestamptz(3) not null,
  created_by  uuid not null default app.user_id(),
  created_at  timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, schedule_id) references on_call_schedules (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  check (starts_at < ends_at)
);
create index on_call_overrides_schedule on on_call_overrides (account_id, schedule_id, ends_at);
create index on_call_overrides_user on on_call_overrides (account_id, user_id);
create index on_call_overrides_creator on on_call_overrides (account_id, created_by);
-- For the clean-up, which deletes by age in every account.
create index on_call_overrides_age on on_call_overrides (ends_at);
create trigger audit after insert or delete on on_call_overrides for each row execute function app.audit('on_call_override');

call app.limit_rows('on_call_schedules', 50);
call app.limit_rows('on_call_overrides', 500, per => 'schedule_id', resource => 'overrides_per_schedule');

create trigger remove_notifications after delete on on_call_schedules for each row execute function app.remove_notifications('/on-call/');
-- What decided who was on call until `valid_until`, so that a change keeps the past. Triggers write it.
create table on_call_schedule_versions (
  id          uuid not null default uuidv7(),
  account_id  uuid not null references accounts on delete cascade,
  schedule_id uuid not null,
  timezone    text not null,
  rotations   jsonb not null check (jsonb_typeof(rotations) = 'array'),
  -- The users of rotations and overrides who could be on call.
  people      uuid[] not null,
  valid_until timestamptz(3) not null default app.now(),
  primary key (id),
  foreign key (account_id, schedule_id) references on_call_schedules (account_id, id) on delete cascade
);
create index on_call_schedule_versions_schedule on on_call_schedule_versions (account_id, schedule_id, valid_until);
-- For the clean-up, which deletes by age in every account.
create index on_call_schedule_versions_age on on_call_schedule_versions (valid_until);

-- The users whom the rotations and the overrides of a schedule name.
create function app.list_on_call_users(p_account uuid, p_schedule uuid, p_rotations jsonb) returns uuid[] language sql stable as $$
  select array(select m::uuid from jsonb_array_elements(p_rotations) r, jsonb_array_elements_text(r -> 'members') m
               union select o.user_id from on_call_overrides o where o.account_id = p_account and o.schedule_id = p_schedule)
$$;

create function app.keep_schedule_version() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  insert into on_call_schedule_versions (account_id, schedule_id, timezone, rotations, people)
  select old.account_id, old.id, old.timezone, old.rotations,
         array(select u.id from users u where u.account_id = old.account_id and app.can_work(u)
                  and u.id = any (app.list_on_call_users(old.account_id, old.id, old.rotations)));
  return null;
end $$;
-- Each change of who is on call keeps a version, or is an override.
create function app.look_again() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update on_call_schedules set notice_at = app.now(), shifts_changed_at = app.now()
   where account_id = coalesce(new.account_id, old.account_id) and id = coalesce(new.schedule_id, old.schedule_id);
  return null;
end $$;
create trigger look_again after insert on on_call_schedule_versions for each row execute function app.look_again();
create trigger look_again after insert or delete on on_call_overrides for each row execute function app.look_again();

-- Shifts have the name of their user, and hours of a member are those of the user's time zone.
create function app.look_again_for_member() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update on_call_schedules s set notice_at = app.now(), shifts_changed_at = app.now()
   where s.account_id = new.account_id and new.id = any (app.list_on_call_users(s.account_id, s.id, s.rotations));
  return null;
end $$;
create trigger look_again after update of full_name, timezone on users for each row
  when ((old.full_name, old.timezone) is distinct from (new.full_name, new.timezone)) execute function app.look_again_for_member();

create trigger keep_version after update on on_call_schedules for each row
  when (old.rotations is distinct from new.rotations or old.timezone is distinct from new.timezone)
  execute function app.keep_schedule_version();

-- A user who may no longer be on call, or may again, changes the turns of every schedule that names them.
create function app.keep_member_schedule_versions() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  insert into on_call_schedule_versions (account_id, schedule_id, timezone, rotations, people)
  select s.account_id, s.id, s.timezone, s.rotations,
         array(select u.id from users u where u.account_id = s.account_id and u.id = any (n.ids)
                  and app.can_work(case when u.id = old.id then old else u end))
    from on_call_schedules s, lateral (select app.list_on_call_users(s.account_id, s.id, s.rotations) as ids) n
   where s.account_id = old.account_id and old.id = any (n.ids);
  return null;
end $$;
create trigger keep_on_call after update of is_active, role on users for each row
  when (app.can_work(old) is distinct from app.can_work(new))
  execute function app.keep_member_schedule_versions();

call app.protect('on_call_schedules');
call app.protect('on_call_schedule_versions');
call app.protect('on_call_overrides');
grant select, insert, delete, update (team_id, name, timezone, rotations, version, notice_at, shifts_changed_at, updated_at) on on_call_schedules to app_runtime;
grant select, insert, delete on on_call_overrides to app_runtime;
grant select, insert on on_call_schedule_versions to app_runtime;
grant select, insert, update, delete on on_call_schedules, on_call_schedule_versions, on_call_overrides to app_platform;

-- Who asks colleagues to take a shift, or a part of it. The first who accepts gets an override.
create table on_call_substitute_requests (
  id           uuid not null default uuidv7(),
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  schedule_id  uuid not null,
  -- Whose shift it is.
  user_id      uuid not null,
  starts_at    timestamptz(3) not null,
  ends_at      timestamptz(3) not null,
  note         text check (length(note) between 1 and 500),
  asked_ids    uuid[] not null check (cardinality(asked_ids) between 1 and 50),
  declined_ids uuid[] not null default '{}',
  -- An open one expires at its start.
  state        text not null default 'open' check (state in ('open', 'accepted', 'declined', 'withdrawn', 'expired')),
  accepted_by  uuid,
  -- Without a foreign key: the request stays when the override is deleted.
  override_id  uuid,
  -- When the sweep looks at an open one: it tells that nobody has accepted, and ends it at its start.
  notice_at    timestamptz(3) not null,
  created_by   uuid not null default app.user_id(),
  created_at   timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, schedule_id) references on_call_schedules (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id),
  foreign key (account_id, accepted_by) references users (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  check (starts_at < ends_at and declined_ids <@ asked_ids and (state = 'accepted') = (accepted_by is not null))
);
create index on_call_substitute_requests_newest on on_call_substitute_requests (account_id, schedule_id, created_at desc, id desc);
create index on_call_substitute_requests_user on on_call_substitute_requests (account_id, user_id);
create index on_call_substitute_requests_acceptor on on_call_substitute_requests (account_id, accepted_by) where accepted_by is not null;
create index on_call_substitute_requests_creator on on_call_substitute_requests (account_id, created_by);
-- For the sweep, which reads those of all accounts as the platform role.
create index on_call_substitute_requests_notice on on_call_substitute_requests (notice_at) where state = 'open';
-- For the clean-up, which deletes by age in every account.
create index on_call_substitute_requests_age on on_call_substitute_requests (ends_at);
create trigger audit after insert or update of state on on_call_substitute_requests
  for each row execute function app.audit('on_call_substitute_request', 'note');
call app.limit_rows('on_call_substitute_requests', 500, per => 'schedule_id', resource => 'substitute_requests_per_schedule');
call app.protect('on_call_substitute_requests');
grant select, insert, update (declined_ids, state, accepted_by, override_id, notice_at) on on_call_substitute_requests to app_runtime;
grant select, insert, update, delete on on_call_substitute_requests to app_platform;

-- Secret addresses of calendars: the shifts of a schedule, or, without one, those of the address's user by every schedule.
create table calendar_feeds (
  id           uuid not null default uuidv7(),
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  user_id      uuid not null default app.user_id(),
  schedule_id  uuid,
  -- SHA-256 of the token in the address.
  token_hash   bytea not null check (octet_length(token_hash) = 32),
  -- When a calendar last fetched it, to the hour.
  last_read_at timestamptz(3),
  created_at   timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, schedule_id) references on_call_schedules (account_id, id) on delete cascade
);
create unique index calendar_feeds_token on calendar_feeds (token_hash);
create index calendar_feeds_newest on calendar_feeds (account_id, created_at desc, id desc);
create index calendar_feeds_user on calendar_feeds (account_id, user_id);
create index calendar_feeds_schedule on calendar_feeds (account_id, schedule_id);
create trigger audit after insert or delete on calendar_feeds for each row when (pg_trigger_depth() = 0)
  execute function app.audit('calendar_feed', 'token_hash');
call app.limit_rows('calendar_feeds', 20, per => 'user_id', resource => 'calendar_feeds_per_user');
call app.protect('calendar_feeds');
call app.delete_with_person('calendar_feeds');
grant select, insert, delete on calendar_feeds to app_runtime;
grant select, insert, update, delete on calendar_feeds to app_platform;

-- Whoever can no longer work no longer reads who is on call. Security definer, because the change may be that of an admin of the platform.
create function app.end_calendar_feeds() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from calendar_feeds where account_id = new.account_id and user_id = new.id;
  return null;
end $$;
create trigger end_calendar_feeds after update of is_active, role on users for each row
  when (app.can_work(old) and not app.can_work(new)) execute function app.end_calendar_feeds();

-- Escalation policies, which announce an escalation again until a colleague takes it.
create table escalation_policies (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  -- Null for the whole account.
  team_id    uuid,
  name       text not null check (length(name) between 1 and 200),
  -- Applies to the escalations of the team; that of the account to those of teams without one.
  is_default boolean not null default false,
  -- How often the steps are taken. `functions/oncall/policies/schemas.ts` has the shape of a step.
  rounds     integer not null check (rounds between 1 and 5),
  steps      jsonb not null check (jsonb_typeof(steps) = 'array' and jsonb_array_length(steps) between 1 and 10),
  version    integer not null default 1,
  created_by uuid not null default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  updated_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create unique index escalation_policies_default on escalation_policies (account_id, team_id) nulls not distinct where is_default;
create index escalation_policies_name on escalation_policies (account_id, name collate "und-x-icu", id);
create index escalation_policies_team on escalation_policies (account_id, team_id);
create index escalation_policies_creator on escalation_policies (account_id, created_by);
create trigger audit after insert or update or delete on escalation_policies for each row execute function app.audit('escalation_policy');

call app.limit_rows('escalation_policies', 50);

-- The policy of an escalation, as it was when the session was escalated.
create table escalation_follow_ups (
  id              uuid not null default uuidv7(),
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  session_id      uuid not null,
  handoff_id      uuid not null,
  policy_id       uuid,
  rounds          integer not null,
  steps           jsonb not null check (jsonb_typeof(steps) = 'array'),
  -- What the alerts show of the escalation, masked if the account masks its exports: `problem`, `ticket_id` and `details`.
  alert           jsonb not null check (jsonb_typeof(alert) = 'object'),
  -- Null for an acknowledgement through the link in a chat channel.
  acknowledged_by uuid,
  acknowledged_at timestamptz(3),
  -- When the admins were told that a whole round reached nobody.
  unreached_at    timestamptz(3),
  created_at      timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  unique (account_id, session_id, handoff_id),
  foreign key (account_id, session_id, handoff_id) references ai_handoffs (account_id, session_id, id) on delete cascade,
  foreign key (account_id, policy_id) references escalation_policies (account_id, id) on delete set null (policy_id),
  foreign key (account_id, acknowledged_by) references users (account_id, id)
);
create index escalation_follow_ups_policy on escalation_follow_ups (account_id, policy_id);
create index escalation_follow_ups_acknowledged on escalation_follow_ups (account_id, acknowledged_by);

-- A step of a follow-up in one of its rounds: the next one, and those that were taken.
create table escalation_reminders (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  follow_up_id     uuid not null,
  round            integer not null,
  step             integer not null,
  -- The event that notified people; null before, and for a step that found nobody, whose state is `unreached`.
  event_id         uuid,
  state            text not null default 'waiting' check (state in ('waiting', 'retrying', 'sent', 'unreached', 'stopped', 'failed')),
  sent_at          timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  -- A step is taken once per round, however often its message arrives.
  unique (account_id, follow_up_id, round, step),
  foreign key (account_id, follow_up_id) references escalation_follow_ups (account_id, id) on delete cascade,
  foreign key (account_id, event_id) references events (account_id, id) on delete set null (event_id)
);
call app.attempts('escalation_reminders', max => 10, is_due_at_once => false);
create index escalation_reminders_event on escalation_reminders (account_id, event_id);
-- For the sweep, which reads those of all accounts as the platform role.
create index escalation_reminders_due on escalation_reminders (next_attempt_at) where state in ('waiting', 'retrying');

call app.protect('escalation_policies');
call app.protect('escalation_follow_ups');
call app.protect('escalation_reminders');
grant select, insert, delete, update (team_id, name, is_default, rounds, steps, version, updated_at) on escalation_policies to app_runtime;
grant select, insert, update (acknowledged_by, acknowledged_at, unreached_at) on escalation_follow_ups to app_runtime;
grant select, insert, update on escalation_reminders to app_runtime;
grant select, insert, update, delete on escalation_policies, escalation_follow_ups, escalation_reminders to app_platform;

-- When somebody can no longer work, their acknowledgements end, and the reminders that these had stopped go on at once. Runs after
-- `release_claims`, by its name.
create function app.resume_reminders() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  with ended as (
    update escalation_follow_ups f set acknowledged_by = null, acknowledged_at = null
      from ai_handoffs h
     where f.account_id = new.account_id and f.acknowledged_by = new.id and h.account_id = f.account_id and h.id = f.handoff_id
       and h.claimed_by is null and h.closed_at is null
    returning f.id, f.session_id)
  update escalation_reminders r set state = 'waiting', next_attempt_at = app.now(), swept_at = null
    from ended e
   where r.account_id = new.account_id and r.follow_up_id = e.id and r.state = 'stopped'
     -- What they had claimed too is escalated again.
     and not exists (select from ai_sessions s where s.account_id = new.account_id and s.id = e.session_id and s.returns_at is not null);
  return null;
end $$;
create trigger resume_reminders after update of is_active, role on users for each row
  when (app.can_work(old) and not app.can_work(new)) execute function app.resume_reminders();

-- What a session's readers see in its reminders, admins see for every session in the audit log.
create function app.audit_unreached() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_logs (account_id, action, resource_type, resource_id, changes)
  select f.account_id, 'escalation.unreached', 'ai_session', f.session_id, jsonb_build_object('round', new.round, 'step', new.step)
    from escalation_follow_ups f where f.account_id = new.account_id and f.id = new.follow_up_id;
  return null;
end $$;
create trigger audit after update of state on escalation_reminders for each row
  when (new.state = 'unreached' and old.state <> 'unreached') execute function app.audit_unreached();

-- Inserts a reminder's event of the scope's account with its notifications and deliveries: to the users, to the configs of the step, and to
-- the configs and webhooks that subscribe to the event. Returns the deliveries to publish.
create function app.emit_reminder(p_key text, p_team uuid, p_users uuid[], p_configs uuid[], p_texts jsonb, p_masked jsonb, p_link text,
                                  p_cause uuid, p_webhook json,
                                  out event_id uuid, out delivery_ids uuid[], out user_ids uuid[], out webhook_delivery_ids uuid[])
language sql set search_path = public, pg_temp as $$
  with event as (
    insert into events (key, actor_id, caused_by, title, body, link, escalation)
    select p_key, null, p_cause, t.title, t.body, p_link, t.escalation from app.choose_texts(p_texts, p_masked) t
    returning id, title, body, escalation, app.is_alert(events) as is_alert
  ), recipients as (
    select u.id, u.email from users u where u.account_id = app.account_id() and app.can_work(u) and u.id = any (p_users)
  ), inbox as (
    insert into notifications (user_id, event_id, event_key, title, body, link, escalation)
    select r.id, e.id, p_key, e.title, e.body, p_link, e.escalation from recipients r, event e
  ), matching as (
    -- Of the configs with one webhook address, one posts it.
    select distinct on (c.channel, coalesce(c.webhook_url, c.id::text)) c.id, c.channel, c.email_addresses from notification_configs c
     where c.account_id = app.account_id() and (c.events_enabled ? p_key or c.id = any (p_configs))
     order by c.channel, coalesce(c.webhook_url, c.id::text), c.disconnected_at nulls first, c.id
  ), configured as (
    insert into deliveries (config_id, event_id, event_key, channel)
    select m.id, e.id, p_key, m.channel from matching m, event e returning id, state
  ), personal as (
    insert into deliveries (event_id, event_key, channel, recipient, subscription_id, user_id, next_attempt_at)
    select e.id, p_key, m.channel, case m.channel when 'email' then r.email end, m.subscription_id, r.id, m.due_at
      from recipients r cross join event e cross join lateral app.list_messages(r.id, e.is_alert) m
     where m.channel <> 'email' or not exists (
       select from matching c, jsonb_array_elements_text(c.email_addresses) a
        where c.channel = 'email' and lower(a) = lower(r.email))
    returning id, state, next_attempt_at
  )
  select (select id from event),
         array(select id from configured where state = 'pending'
               union all select id from personal where state = 'pending' and next_attempt_at <= app.now()),
         array(select id from recipients), app.emit_webhook(p_key, p_webhook ->> 'subject', p_webhook -> 'data')
$$;

-- Where alerts of monitoring come from, and whose case a new one opens.
create table alert_sources (
  id                 uuid not null default uuidv7(),
  account_id         uuid not null default app.account_id() references accounts on delete cascade,
  name               text not null check (length(name) between 1 and 200),
  format             text not null check (format in ('alertmanager', 'zabbix', 'json')),
  -- Where a JSON body has the fields of an alert, by JSON pointers. Null for the formats that are known.
  mapping            jsonb check (jsonb_typeof(mapping) = 'object' and octet_length(mapping::text) <= 10000),
  is_enabled         boolean not null default true,
  -- Only alerts of these severities open cases; empty for all.
  severities         text[] not null default '{}' check (cardinality(severities) <= 20),
  -- The flow of which a session is prepared, without a foreign key: it may belong to the platform. Null opens an AI session.
  tree_id            uuid,
  -- The user of the cases, while nobody is on call by the schedule.
  user_id            uuid not null,
  schedule_id        uuid,
  -- That of its cases, when their user is told.
  urgency            text not null default 'high' check (urgency in ('low', 'normal', 'high', 'critical')),
  max_cases_per_hour integer not null default 20 check (max_cases_per_hour between 1 and 60),
  -- SHA-256 of the token in the address.
  token_hash         bytea not null check (octet_length(token_hash) = 32),
  -- The calls since this time, for the limit per minute.
  counted_since      timestamptz(3) not null default app.now(),
  calls              integer not null default 0,
  last_received_at   timestamptz(3),
  -- Why the last call was refused, or an alert of it.
  last_error         text check (length(last_error) <= 1000),
  -- When the admins were last told that alerts are more than may open cases.
  limit_told_at      timestamptz(3),
  created_by         uuid default app.user_id(),
  created_at         timestamptz(3) not null default app.now(),
  updated_at         timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, schedule_id) references on_call_schedules (account_id, id) on delete set null (schedule_id),
  foreign key (account_id, created_by) references users (account_id, id) on delete set null (created_by),
  check ((format = 'json') = (mapping is not null))
);
create unique index alert_sources_token on alert_sources (token_hash);
create index alert_sources_newest on alert_sources (account_id, created_at desc, id desc);
create index alert_sources_user on alert_sources (account_id, user_id);
create index alert_sources_schedule on alert_sources (account_id, schedule_id);
create index alert_sources_creator on alert_sources (account_id, created_by);
create trigger audit after insert or update of name, mapping, is_enabled, severities, tree_id, user_id, schedule_id, urgency, max_cases_per_hour, token_hash or delete
  on alert_sources for each row when (pg_trigger_depth() = 0) execute function app.audit('alert_source', 'token_hash');
call app.limit_rows('alert_sources', 50);

-- What monitoring has reported: one row from the first report of a fingerprint until a later report finds its case closed.
create table alerts (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  source_id     uuid not null,
  fingerprint   text not null check (length(fingerprint) between 1 and 100),
  title         text not null check (length(title) between 1 and 300),
  body          text not null default '' check (length(body) <= 4000),
  severity      text check (length(severity) between 1 and 100),
  client_name   text check (length(client_name) between 1 and 200),
  asset_name    text check (length(asset_name) between 1 and 200),
  status        text not null default 'firing' check (status in ('firing', 'resolved')),
  -- Hash of what was last reported. A report that is repeated counts once.
  digest        text not null check (length(digest) <= 100),
  -- How often it fired.
  fired_count   integer not null default 1,
  -- Whether the next report of the fingerprint belongs to this row.
  is_current    boolean not null default true,
  -- What became of it; null while it waits.
  verdict       text check (verdict in ('opened', 'ignored', 'limited', 'refused')),
  reason        text check (length(reason) <= 1000),
  -- The case, without foreign keys: it may be deleted.
  ai_session_id uuid,
  session_id    uuid,
  state         text not null default 'queued' check (state in ('queued', 'retrying', 'done', 'failed')),
  done_at       timestamptz(3),
  last_seen_at  timestamptz(3) not null default app.now(),
  resolved_at   timestamptz(3),
  created_at    timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, source_id) references alert_sources (account_id, id) on delete cascade
);
call app.attempts('alerts');
create unique index alerts_current on alerts (account_id, source_id, fingerprint) where is_current;
create index alerts_newest on alerts (account_id, created_at desc, id desc);
create index alerts_source on alerts (account_id, source_id, created_at desc, id desc);
create index alerts_opened on alerts (account_id, done_at) where verdict = 'opened';
-- For the sweep and the clean-up, which read every account as the platform role.
create index alerts_due on alerts (next_attempt_at) where state in ('queued', 'retrying');
create index alerts_age on alerts (last_seen_at);

call app.protect('alert_sources');
call app.delete_with_person('alert_sources');
call app.protect('alerts');
grant select, insert, update, delete on alert_sources to app_runtime;
grant select on alerts to app_runtime;
grant select, insert, update, delete on alert_sources, alerts to app_platform;
