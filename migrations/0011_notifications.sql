-- Events, the notifications that members see in the app, the deliveries to e-mail and chat, and what each user gets by e-mail.
create table events (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  key        text not null,
  actor_id   uuid,
  -- The user whose work a job reports, such as the owner of a schedule; otherwise the actor.
  caused_by  uuid,
  title      text not null,
  body       text not null,
  link       text check (length(link) <= 500),
  -- The details of an escalation that its alert shows. Null for other events.
  escalation jsonb constraint events_escalation check (jsonb_typeof(escalation) = 'object'),
  -- What the messages about a request for an approval show. Null for other events.
  approval   jsonb constraint events_approval check (jsonb_typeof(approval) = 'object'),
  -- The flows whose review is overdue, as the messages show them. Null for other events.
  review     jsonb constraint events_review check (jsonb_typeof(review) = 'object'),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id)
);
-- For the deletion of old rows, a batch at a time.
create index events_age on events (account_id, created_at);
-- For the e-mails of one conversation, whose events lead to the same page.
create index events_page on events (account_id, split_part(link, '?pickup', 1));

create table notifications (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  user_id    uuid not null,
  event_id   uuid not null,
  event_key  text not null,
  title      text not null,
  body       text not null,
  link       text check (length(link) <= 500),
  escalation jsonb constraint notifications_escalation check (jsonb_typeof(escalation) = 'object'),
  is_read    boolean not null default false,
  read_at    timestamptz(3),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  -- A user is notified of an event once, also if the event is processed twice.
  unique (account_id, event_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, event_id) references events (account_id, id) on delete cascade
);
-- For the removal of those that lead to something deleted.
create index notifications_link on notifications (account_id, link text_pattern_ops);
-- Removes the notifications that lead to a deleted row, whose path starts with the argument of the trigger, and fails the messages about it that
-- were not sent yet, also as part of a digest. Security definer, because they belong to several users.
create function app.remove_notifications() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  path constant text := tg_argv[0] || old.id;
begin
  delete from notifications n where n.account_id = old.account_id and (n.link = path or n.link like path || '?%');
  -- Few deliveries of all accounts are open at a time, and partial indexes find them.
  with open as materialized (
    select d.id, d.event_id from deliveries d
     where d.account_id = old.account_id and d.state in ('pending', 'retrying')
    union all
    select d.id, d.event_id from deliveries d where d.account_id = old.account_id and d.state = 'held'
  ), listed as (
    select * from open union all
    select d.id, d.event_id from open o join deliveries d on d.account_id = old.account_id and d.digest_id = o.id
  )
  update deliveries d set state = 'failed', next_attempt_at = null, leased_until = null, last_error = 'What it is about was deleted since'
    from listed o join events e on e.account_id = old.account_id and e.id = o.event_id
   where d.account_id = old.account_id and d.id = o.id and (e.link = path or e.link like path || '?%');
  return null;
end $$;
create index notifications_inbox on notifications (account_id, user_id, is_read, created_at desc, id desc);

create table notification_configs (
  id              uuid not null default uuidv7(),
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  channel         text not null check (channel in ('chat1_webhook', 'chat2_webhook', 'email')),
  webhook_url     text check (length(webhook_url) <= 2000),
  email_addresses jsonb check (jsonb_typeof(email_addresses) = 'array'),
  events_enabled  jsonb not null check (jsonb_typeof(events_enabled) = 'array'),
  -- Who set the addresses.
  set_up_by       uuid,
  -- When the chat tool said that the webhook no longer exists. Null again after a message that it accepts, and for another webhook.
  disconnected_at timestamptz(3),
  -- The secret with which the chat tool signs that a button was pressed, encrypted. With it, messages have buttons.
  signing_secret  text check (length(signing_secret) <= 1000),
  created_at      timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  constraint notification_configs_webhook check (channel = 'email' or webhook_url is not null),
  constraint notification_configs_addresses check (channel <> 'email' or jsonb_array_length(coalesce(email_addresses, '[]')) > 0),
  constraint notification_configs_recipients check (jsonb_array_length(coalesce(email_addresses, '[]')) <= 20),
  constraint notification_configs_signing check (signing_secret is null or channel = 'chat1_webhook')
);
create index notification_configs_newest on notification_configs (account_id, created_at desc, id desc);
create trigger audit after insert or update or delete on notification_configs
  for each row execute function app.audit('notification_config', 'webhook_url', 'email_addresses', 'signing_secret');

-- Who presses the buttons of a chat tool: a person has linked their user there, once, by their own sign-in. Like a grant of OAuth, a link is a
-- sign-in: whatever ends sign-ins ends it, and the person sees and revokes it among them. It holds for the config whose secret has signed the
-- request, because whoever knows that secret can press for everybody.
create table chat_links (
  sign_in_id uuid not null,
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  config_id  uuid not null,
  -- The ids of the workspace and the user at the chat tool.
  team       text not null check (length(team) between 1 and 100),
  chat_user  text not null check (length(chat_user) between 1 and 100),
  -- The request that was confirmed. It makes one link.
  request_id uuid not null,
  created_at timestamptz(3) not null default app.now(),
  primary key (account_id, sign_in_id),
  unique (account_id, request_id),
  foreign key (account_id, sign_in_id) references sign_ins (account_id, id) on delete cascade,
  foreign key (account_id, config_id) references notification_configs (account_id, id) on delete cascade
);
create index chat_links_user on chat_links (account_id, config_id, team, chat_user, created_at desc);
call app.protect('chat_links');
grant select on chat_links to app_runtime;
grant select, insert, update, delete on chat_links to app_platform;

-- Only an account admin changes the secret, and its links end with it: whoever enters one can press for everybody who is linked by it. Without
-- a user in the scope, the platform itself acts, such as when it encrypts the same secret with another key.
create function app.keep_signing_secret() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if app.user_id() is not null and tg_op <> 'DELETE' and app.role() is distinct from 'admin' then
    raise exception 'only an account admin changes the signing secret' using errcode = 'SF4AA';
  end if;
  if app.user_id() is not null and tg_op <> 'INSERT' then
    update sign_ins s set ended_at = app.now() from chat_links l
     where l.account_id = old.account_id and l.config_id = old.id and s.account_id = l.account_id and s.id = l.sign_in_id and s.ended_at is null;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger signing_secret_set before insert on notification_configs for each row
  when (new.signing_secret is not null) execute function app.keep_signing_secret();
create trigger signing_secret_changed before update of signing_secret on notification_configs for each row
  when (new.signing_secret is distinct from old.signing_secret) execute function app.keep_signing_secret();
create trigger signing_secret_deleted before delete on notification_configs for each row
  when (old.signing_secret is not null) execute function app.keep_signing_secret();

-- The browsers that show the notifications of a person (Web Push). Each belongs to a sign-in and ends with it. A browser has one address, so
-- that whoever signs in there next takes it over.
create table push_subscriptions (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  sign_in_id    uuid not null,
  -- SHA-256 of its address at the push service, which is a secret: whoever has it and the keys can send.
  endpoint_hash bytea not null unique,
  -- The address and the keys of the browser, encrypted.
  sealed        text not null check (length(sealed) <= 4000),
  created_at    timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, sign_in_id),
  foreign key (account_id, sign_in_id) references sign_ins (account_id, id) on delete cascade
);
call app.protect('push_subscriptions');
grant select, delete on push_subscriptions to app_runtime;
grant select, insert, update, delete on push_subscriptions to app_platform;
-- The browsers that a person is signed in to and that show their notifications.
create function app.list_browsers(p_account uuid, p_user uuid) returns setof push_subscriptions language sql stable rows 2
set search_path = public, pg_temp as $$
  select b.* from push_subscriptions b join sign_ins s on s.account_id = b.account_id and s.id = b.sign_in_id
   where b.account_id = p_account and s.user_id = p_user and s.ended_at is null and s.expires_at > app.now()
$$;

create table deliveries (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  -- Null for an e-mail that does not depend on the configs, such as the one to the recipients of an escalation.
  config_id        uuid,
  -- Null for a test message and for an e-mail with a purpose.
  event_id         uuid,
  event_key        text,
  channel          text not null check (channel in ('chat1_webhook', 'chat2_webhook', 'email', 'web_push', 'sms', 'voice')),
  recipient        text,
  -- The browser of a message by Web Push. No foreign key: the log stays when the browser ends.
  subscription_id  uuid,
  -- For an e-mail without an event. Its text is written when it is sent.
  purpose          text check (
    purpose in ('verify_email', 'reset_password', 'change_email', 'email_change_requested', 'email_changed', 'identity_linked', 'identity_unlinked', 'password_changed', 'chat_user_linked', 'phone_number_added', 'program_added', 'invite', 'sales_lead', 'feedback', 'feedback_receipt', 'second_factor_added',
                'second_factor_removed', 'sign_in_without_sso', 'webhook_disabled', 'export_ready', 'export_failed', 'account_deletion_requested',
                'account_deletion_cancelled', 'digest', 'weekly_report', 'verify_phone')),
  -- The person to whom it is addressed; null for what a config sends and for an address alone.
  user_id          uuid,
  -- An e-mail that is held has no next attempt.
  state            text not null default 'pending' check (state in ('pending', 'retrying', 'held', 'in_digest', 'delivered', 'failed')),
  held_until       timestamptz(3),
  -- The digest that contains it. No foreign key: a digest is deleted earlier than the events that it lists.
  digest_id        uuid,
  -- The number of e-mails that were counted for a delivery. It is not sent to more addresses.
  mails            integer not null default 1,
  -- The idempotency key of the call that last contained an e-mail, while the provider may have accepted it. A retry uses the same key with the
  -- same e-mails, so that none is sent twice.
  batch_key        text,
  delivered_at     timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  invite_id        uuid,
  sales_lead_id    uuid references sales_leads on delete cascade,
  feedback_id      uuid,
  -- The e-mail to the account admins when a webhook is switched off names the webhook.
  webhook_id       uuid,
  -- An e-mail with a report names the report. No foreign key: a report is deleted later than its e-mails.
  report_id        uuid,
  primary key (id),
  foreign key (account_id, config_id) references notification_configs (account_id, id) on delete cascade,
  foreign key (account_id, event_id) references events (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, invite_id) references invites (account_id, id) on delete cascade,
  foreign key (account_id, feedback_id) references feedback (account_id, id) on delete cascade,
  check (num_nonnulls(config_id, recipient, user_id) > 0),
  check ((channel = 'web_push') = (subscription_id is not null)),
  constraint deliveries_subject_check check (
    case when purpose is null then num_nonnulls(invite_id, sales_lead_id, feedback_id) = 0 and (user_id is null or config_id is null)
         when purpose = 'invite' then invite_id is not null
         when purpose = 'sales_lead' then sales_lead_id is not null
         when purpose in ('feedback', 'feedback_receipt') then feedback_id is not null
         else user_id is not null end),
  constraint deliveries_held check (state <> 'held' or (held_until is not null and user_id is not null)),
  constraint deliveries_report check ((purpose is not distinct from 'weekly_report') = (report_id is not null))
);
call app.attempts('deliveries');
create index deliveries_log on deliveries (account_id, config_id, created_at desc, id desc);
create index deliveries_event on deliveries (account_id, event_id);
-- For the sweep, which reads the deliveries of all accounts as the platform role.
create index deliveries_due on deliveries (next_attempt_at) where state in ('pending', 'retrying');
-- For the deletion of old rows, a batch at a time.
create index deliveries_age on deliveries (created_at) where event_id is null;
-- For the digests, and for the e-mails that wait for one user.
create index deliveries_held on deliveries (held_until, account_id, user_id) where state = 'held';
create index deliveries_recipient on deliveries (account_id, user_id) where user_id is not null;
create index deliveries_digest on deliveries (account_id, digest_id) where digest_id is not null;
-- For the foreign key, whose check would read the whole table when a lead is deleted.
create index deliveries_sales_lead on deliveries (sales_lead_id) where sales_lead_id is not null;
create trigger audit_test after insert on deliveries for each row
  when (new.config_id is not null and new.event_id is null and app.user_id() is not null) execute function app.audit('notification_test');
create trigger audit_retry after update of state on deliveries for each row
  when (old.state = 'failed' and new.state = 'retrying' and app.user_id() is not null) execute function app.audit('delivery');

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
  -- The channels by which an alert reaches the person, each with the minutes after the first one. Null for all of them at once.
  alert_steps  jsonb check (jsonb_typeof(alert_steps) = 'array' and jsonb_array_length(alert_steps) between 1 and 10),
  updated_at   timestamptz(3) not null default app.now(),
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  check (cardinality(quiet_days) < 7 or quiet_from <> quiet_to)
);

-- Through what an account sends text messages and makes calls, and how many it has sent on a day of its own. The account pays for them.
create table phone_gateways (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  provider         text not null check (provider in ('twilio', 'webhook')),
  base_url         text not null check (length(base_url) between 1 and 2000),
  account_sid      text check (length(account_sid) <= 100),
  api_key_sid      text check (length(api_key_sid) <= 100),
  -- Encrypted with the service's key; the account's id and the provider are authenticated with it.
  secret           text not null check (length(secret) <= 8000),
  sender           text check (sender ~ '^\+[1-9][0-9]{6,14}$'),
  -- The beginnings of the numbers that may be reached, such as +49.
  allowed_prefixes text[] not null check (cardinality(allowed_prefixes) between 1 and 50),
  daily_limit      integer not null default 100 check (daily_limit between 1 and 1000),
  -- The messages and calls of the day `counted_on`, and the day on which the admins were last told that they reached the limit.
  counted_on       date,
  counted          integer not null default 0 check (counted >= 0),
  announced_on     date,
  -- Why the gateway failed last; null after a message that it accepts.
  last_error       text,
  last_error_at    timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  updated_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id)
);
create trigger audit after insert or delete or update of provider, base_url, account_sid, api_key_sid, secret, sender, allowed_prefixes, daily_limit
  on phone_gateways for each row execute function app.audit('phone_gateway', 'secret', 'base_url');
call app.protect('phone_gateways');
grant select, insert, delete on phone_gateways to app_runtime;
grant update (provider, base_url, account_sid, api_key_sid, secret, sender, allowed_prefixes, daily_limit, last_error, last_error_at, updated_at)
  on phone_gateways to app_runtime;
grant select, insert, update, delete on phone_gateways to app_platform;
-- Counts a message or call of the account, before it is sent, on its day. Returns false when the limit of the day is reached; concurrent attempts
-- wait for the row, so the limit holds for all together. A day that is not over when the clock is set back starts again.
create function app.count_phone_message() returns boolean language plpgsql set search_path = public, pg_temp as $$
declare
  today constant date := app.local_today();
begin
  update phone_gateways g set counted_on = today, counted = case when g.counted_on = today then g.counted + 1 else 1 end
   where g.account_id = app.account_id() and (g.counted_on is distinct from today or g.counted < g.daily_limit);
  return found;
end $$;
revoke execute on function app.count_phone_message() from app_runtime;

-- Where a person is reached by phone. A number counts once its code, which was sent to it, is confirmed.
create table phone_numbers (
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  user_id         uuid not null default app.user_id(),
  number          text check (number ~ '^\+[1-9][0-9]{6,14}$'),
  verified_at     timestamptz(3),
  -- The number that waits for its code.
  pending_number  text check (pending_number ~ '^\+[1-9][0-9]{6,14}$'),
  -- Null until the message with the code is sent.
  code_hash       bytea,
  code_attempts   integer not null default 0,
  code_expires_at timestamptz(3),
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  check ((number is null) = (verified_at is null)),
  check ((pending_number is null) = (code_expires_at is null)),
  check (code_hash is null or pending_number is not null)
);
call app.protect('phone_numbers');
call app.delete_with_person('phone_numbers');
create trigger delete_with_leaver after update of is_active on users for each row
  when (not new.is_active) execute function app.delete_rows_of_person('phone_numbers', 'and account_id = $2');
grant select (account_id, user_id, verified_at) on phone_numbers to app_runtime;
grant select, insert, update, delete on phone_numbers to app_platform;

call app.protect('events');
call app.protect('notifications');
call app.protect('notification_configs');
call app.protect('deliveries');
call app.protect('mail_preferences');
call app.delete_with_person('mail_preferences');
grant select, insert on events to app_runtime;
grant select, insert, update on notifications, deliveries to app_runtime;
grant select, insert, update, delete on notification_configs to app_runtime;
grant select, insert, update, delete on events, notifications, notification_configs, deliveries to app_platform;
grant select, insert, update on mail_preferences to app_runtime;
-- For `for update`, which needs the right to update a column.
grant select, delete, update (updated_at) on mail_preferences to app_platform;

-- The texts of an event, masked if the account masks what leaves. Every event is inserted with them.
create function app.choose_texts(p_texts jsonb, p_masked jsonb, out title text, out body text, out escalation jsonb, out approval jsonb,
                                 out review jsonb)
language sql stable set search_path = public, pg_temp as $$
  select t ->> 'title', t ->> 'body', t -> 'escalation', t -> 'approval', t -> 'review'
    from (select case when p_masked is not null and app.masks_exports() then p_masked else p_texts end) chosen (t)
$$;

-- Whether the messages of an event are sent at once, whatever their recipients prefer: what is urgent, the reminders of an escalation policy and who
-- is on call now. That somebody has taken an escalation is not urgent.
create function app.is_urgent(e events) returns boolean language sql immutable parallel safe as $$
  select coalesce(e.escalation ->> 'urgency' in ('high', 'critical') and e.key <> 'handoff.claimed', false)
      or e.key in ('escalation.reminded', 'oncall.changed', 'oncall.shift_starts')
$$;
-- Whether an event goes to its people by every channel of theirs: what is urgent, and what waits for their answer.
create function app.is_alert(e events) returns boolean language sql immutable parallel safe as $$
  select app.is_urgent(e) or e.key in ('approval.requested', 'oncall.substitute_requested')
$$;
-- Whether a person can be reached by phone: the account has a gateway, and they have verified a number.
create function app.has_phone(p_account uuid, p_user uuid) returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (select from phone_gateways g join phone_numbers n on n.account_id = g.account_id
                  where g.account_id = p_account and n.user_id = p_user and n.verified_at is not null)
$$;
-- The messages that tell a person of an event. Of an alert: by each channel of their order that can reach them, the first one at once; a browser
-- has a message of its own, because each fails and is repeated alone. Of another event: an e-mail.
create function app.list_messages(p_user uuid, p_is_alert boolean)
returns table (channel text, subscription_id uuid, due_at timestamptz) language sql stable rows 2 set search_path = public, pg_temp as $$
  select s.channel, b.id, app.now() + make_interval(mins => s.delay_minutes - min(s.delay_minutes) over ())
    from jsonb_to_recordset(
           case when p_is_alert then coalesce(
             (select p.alert_steps from mail_preferences p where p.account_id = app.account_id() and p.user_id = p_user),
             '[{"channel": "web_push", "delay_minutes": 0}, {"channel": "email", "delay_minutes": 0}]')
           else '[{"channel": "email", "delay_minutes": 0}]' end) s (channel text, delay_minutes integer)
    left join lateral app.list_browsers(app.account_id(), p_user) b on s.channel = 'web_push'
   where case when s.channel = 'web_push' then b.id is not null
              when s.channel in ('sms', 'voice') then app.has_phone(app.account_id(), p_user) else true end
$$;

-- Inserts an event of the caller's account with its notifications, deliveries and messages for webhooks. Returns what to publish, which leaves
-- out deliveries that are stored as failed or held or are due later, and the notified users.
--   p_users       the users to notify
--   p_admins      also notify the account admins and the admins of p_team, except the actor
--   p_mailed      those of them who also get an e-mail, null for all, unless an e-mail config of this event has the address; the others get one if their
--                 preferences name the event
--   p_cause       the user whose work a job reports; null for the actor
--   p_texts       `title`, `body`, and as needed the details of an `escalation` and what messages show of an `approval`
--                 or of flows to `review`
--   p_masked      the same with everything masked, for an account that masks what leaves; null if that is the same
--   p_webhook     the `subject` and the `data` of the messages for webhooks
create function app.emit(p_key text, p_actor uuid, p_team uuid, p_users uuid[], p_admins boolean, p_mailed uuid[],
                         p_texts jsonb, p_masked jsonb, p_link text, p_cause uuid, p_webhook json,
                         out delivery_ids uuid[], out user_ids uuid[], out webhook_delivery_ids uuid[])
language sql set search_path = public, pg_temp as $$
  with event as (
    insert into events (key, actor_id, caused_by, title, body, link, escalation, approval, review)
    select p_key, p_actor, coalesce(p_cause, p_actor), t.title, t.body, p_link, t.escalation, t.approval, t.review
      from app.choose_texts(p_texts, p_masked) t
    returning id, title, body, escalation, app.is_alert(events) as is_alert
  ), recipients as (
    select u.id, u.email from users u where u.account_id = app.account_id() and u.id = any (p_users) and u.is_active
    -- With "or", every user of the account would be read.
    union
    select u.id, u.email from users u
     where u.account_id = app.account_id() and (u.role = 'admin' or u.team_role = 'admin' and u.team_id = p_team)
       and p_admins and u.id is distinct from p_actor and u.is_active
  ), inbox as (
    insert into notifications (user_id, event_id, event_key, title, body, link, escalation)
    select r.id, e.id, p_key, e.title, e.body, p_link, e.escalation from recipients r, event e
  ), matching as (
    -- Of the configs with one webhook address, one posts it.
    select distinct on (c.channel, coalesce(c.webhook_url, c.id::text)) c.id, c.channel, c.email_addresses from notification_configs c
     where c.account_id = app.account_id()
       -- A channel that was told of an escalation also learns who took or acknowledged it.
       and (c.events_enabled ? p_key
            or p_key in ('handoff.claimed', 'escalation.acknowledged') and c.events_enabled ? 'session.escalated')
     order by c.channel, coalesce(c.webhook_url, c.id::text), c.disconnected_at nulls first, c.id
  ), configured as (
    insert into deliveries (config_id, event_id, event_key, channel)
    select m.id, e.id, p_key, m.channel from matching m, event e returning id, state
  ), personal as (
    insert into deliveries (event_id, event_key, channel, recipient, subscription_id, user_id, next_attempt_at)
    select e.id, p_key, m.channel, case m.channel when 'email' then r.email end, m.subscription_id, r.id, m.due_at
      from recipients r cross join event e cross join lateral app.list_messages(r.id, e.is_alert) m
     where (p_mailed is null or r.id = any (p_mailed) or exists (select from mail_preferences p
                                    where p.account_id = app.account_id() and p.user_id = r.id and p_key = any (p.email_events)))
       and (m.channel <> 'email' or not exists (
         select from matching c, jsonb_array_elements_text(c.email_addresses) a
          where c.channel = 'email' and lower(a) = lower(r.email)))
    returning id, state, next_attempt_at
  )
  select array(select id from configured where state = 'pending'
               union all select id from personal where state = 'pending' and next_attempt_at <= app.now()),
         array(select id from recipients), app.emit_webhook(p_key, p_webhook ->> 'subject', p_webhook -> 'data')
$$;

-- The three most frequent operations open the scope and return the JSON text of the response in one statement.
create function app.notification_json(n notifications) returns json language sql stable as $$
  select json_build_object('id', n.id, 'user_id', n.user_id, 'event_key', n.event_key, 'title', n.title, 'body', n.body,
    'link', n.link, 'escalation', n.escalation, 'is_read', n.is_read, 'read_at', app.iso(n.read_at), 'created_at', app.iso(n.created_at))
$$;
-- PostgreSQL would plan the list again for each call, because it takes the plan for a known limit for cheaper. Planning takes half the call.
create function app.list_notifications(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text,
                                       p_skip integer, p_limit integer, out body text, out last text,
                                       p_after_read boolean default null, p_after_at timestamptz default null,
                                       p_after_id uuid default null)
language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  select coalesce(json_agg(item order by r) filter (where r <= p_limit), '[]')::text,
         case when count(*) > p_limit
              then json_build_array(bool_and((item).is_read) filter (where r = p_limit), max((item).created_at) filter (where r = p_limit),
                                    max((item).id::text) filter (where r = p_limit))::text end
    into body, last
    from (select item, row_number() over () as r
            from (select n.id, n.user_id, n.event_key, n.title, n.body, n.link, n.escalation, n.is_read,
                         app.iso(n.read_at) as read_at, app.iso(n.created_at) as created_at
                    from notifications n where n.account_id = p_account and n.user_id = p_user
                     and (p_after_id is null or n.is_read > p_after_read
                          or n.is_read = p_after_read and (n.created_at, n.id) < (p_after_at, p_after_id))
                   order by n.is_read, n.created_at desc, n.id desc offset p_skip limit p_limit + 1) item) numbered;
end $$;
create function app.count_unread(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text, out body text)
language plpgsql stable set search_path = public, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  select json_build_object('count', count(*))::text into body
    from notifications where account_id = p_account and user_id = p_user and not is_read;
end $$;
-- Marking a read notification as read again writes nothing: no row version, no index entry, no WAL.
create function app.mark_notification_read(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text,
                                           p_id uuid, out body text)
language plpgsql set search_path = public, pg_temp as $$
declare
  n notifications;
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  select x.* into n from notifications x where x.account_id = p_account and x.id = p_id and x.user_id = p_user;
  if n.id is not null and not n.is_read then
    -- Another request may mark it between the two statements. The first time of reading stays.
    update notifications x set is_read = true, read_at = coalesce(x.read_at, app.now())
     where x.account_id = p_account and x.id = p_id and x.user_id = p_user
    returning x.* into n;
  end if;
  if n.id is not null then
    body := app.notification_json(n)::text;
  end if;
end $$;
