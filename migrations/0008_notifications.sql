-- Events, the notifications that members see in the app, and the deliveries to e-mail and chat.
create table events (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  key        text not null,
  actor_id   uuid,
  title      text not null,
  body       text not null,
  link       text check (length(link) <= 500),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id)
);

create table notifications (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  user_id    uuid not null,
  event_id   uuid not null,
  event_key  text not null,
  title      text not null,
  body       text not null,
  link       text check (length(link) <= 500),
  is_read    boolean not null default false,
  read_at    timestamptz(3),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  -- A user is notified of an event once, also if the event is processed twice.
  unique (account_id, event_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, event_id) references events (account_id, id) on delete cascade
);
create index notifications_inbox on notifications (account_id, user_id, is_read, created_at desc, id desc);

create table notification_configs (
  id              uuid not null default uuidv7(),
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  channel         text not null check (channel in ('chat1_webhook', 'chat2_webhook', 'email')),
  webhook_url     text check (length(webhook_url) <= 2000),
  email_addresses jsonb check (jsonb_typeof(email_addresses) = 'array'),
  events_enabled  jsonb not null check (jsonb_typeof(events_enabled) = 'array'),
  created_at      timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  constraint notification_configs_webhook check (channel = 'email' or webhook_url is not null),
  constraint notification_configs_addresses check (channel <> 'email' or jsonb_array_length(coalesce(email_addresses, '[]')) > 0)
);
create index notification_configs_newest on notification_configs (account_id, created_at desc, id desc);
create trigger audit after insert or update or delete on notification_configs
  for each row execute function app.audit('notification_config', 'webhook_url', 'email_addresses');

create table deliveries (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  -- Null for an e-mail that does not depend on the configs, such as the one to the recipients of an escalation.
  config_id        uuid,
  -- Null for a test message and for an e-mail with a purpose.
  event_id         uuid,
  event_key        text,
  channel          text not null check (channel in ('chat1_webhook', 'chat2_webhook', 'email')),
  recipient        text,
  -- For an e-mail without an event. Its text is written when it is sent.
  purpose          text check (
    purpose in ('verify_email', 'reset_password', 'invite', 'sales_lead', 'feedback', 'feedback_receipt')),
  user_id          uuid,
  state            text not null default 'pending' check (state in ('pending', 'retrying', 'delivered', 'failed')),
  attempts         integer not null default 0,
  max_attempts     integer not null default 4,
  last_error       text,
  last_status_code integer,
  next_attempt_at  timestamptz(3) default app.now(),
  leased_until     timestamptz(3),
  -- When a sweep last took the row, because its message was lost.
  swept_at         timestamptz(3),
  delivered_at     timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  invite_id        uuid,
  sales_lead_id    uuid references sales_leads on delete cascade,
  feedback_id      uuid,
  primary key (id),
  foreign key (account_id, config_id) references notification_configs (account_id, id) on delete cascade,
  foreign key (account_id, event_id) references events (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, invite_id) references invites (account_id, id) on delete cascade,
  foreign key (account_id, feedback_id) references feedback (account_id, id) on delete cascade,
  check (config_id is not null or recipient is not null),
  constraint deliveries_subject_check check (
    case when purpose is null then num_nonnulls(user_id, invite_id, sales_lead_id, feedback_id) = 0
         when purpose = 'invite' then invite_id is not null
         when purpose = 'sales_lead' then sales_lead_id is not null
         when purpose in ('feedback', 'feedback_receipt') then feedback_id is not null
         else user_id is not null end)
);
create index deliveries_log on deliveries (account_id, config_id, created_at desc, id desc);
create index deliveries_event on deliveries (account_id, event_id);
-- For the sweep, which reads the deliveries of all accounts as the platform role.
create index deliveries_due on deliveries (next_attempt_at) where state in ('pending', 'retrying');
create trigger audit_test after insert on deliveries for each row
  when (new.config_id is not null and new.event_id is null and app.user_id() is not null) execute function app.audit('notification_test');
create trigger audit_retry after update of state on deliveries for each row
  when (old.state = 'failed' and new.state = 'retrying' and app.user_id() is not null) execute function app.audit('delivery');

call app.protect('events');
call app.protect('notifications');
call app.protect('notification_configs');
call app.protect('deliveries');
grant select, insert on events to app_runtime;
grant select, insert, update on notifications, deliveries to app_runtime;
grant select, insert, update, delete on notification_configs to app_runtime;
grant select, insert, update, delete on events, notifications, notification_configs, deliveries to app_platform;

-- Inserts an event of the caller's account with its notifications and deliveries. Returns the deliveries to publish and the notified users.
--   p_users       the users to notify
--   p_admins      also notify the account admins and the admins of p_team, except the actor
--   p_mail_each   also send each of them an e-mail, unless an e-mail config of this event has the address
create function app.emit(p_key text, p_actor uuid, p_team uuid, p_users uuid[], p_admins boolean, p_mail_each boolean,
                         p_title text, p_body text, p_link text,
                         out delivery_ids uuid[], out user_ids uuid[])
language sql set search_path = public, pg_temp as $$
  with event as (
    insert into events (key, actor_id, title, body, link) values (p_key, p_actor, p_title, p_body, p_link) returning id
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
    select m.id, e.id, p_key, m.channel from matching m, event e returning id
  ), personal as (
    insert into deliveries (event_id, event_key, channel, recipient)
    select e.id, p_key, 'email', r.email from recipients r, event e
     where p_mail_each and not exists (
       select from matching m, jsonb_array_elements_text(m.email_addresses) a
        where m.channel = 'email' and lower(a) = lower(r.email))
    returning id
  )
  select array(select id from configured union all select id from personal), array(select id from recipients)
$$;

-- The three most frequent operations open the scope and return the JSON text of the response in one statement.
create function app.notification_json(n notifications) returns json language sql stable as $$
  select json_build_object('id', n.id, 'user_id', n.user_id, 'event_key', n.event_key, 'title', n.title, 'body', n.body,
    'link', n.link, 'is_read', n.is_read, 'read_at', app.iso(n.read_at), 'created_at', app.iso(n.created_at))
$$;
create function app.list_notifications(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text,
                                       p_skip integer, p_limit integer, out body text, out more boolean)
language plpgsql stable set search_path = public, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  select coalesce(json_agg(item order by r) filter (where r <= p_limit), '[]')::text, count(*) > p_limit
    into body, more
    from (select item, row_number() over () as r
            from (select n.id, n.user_id, n.event_key, n.title, n.body, n.link, n.is_read,
                         app.iso(n.read_at) as read_at, app.iso(n.created_at) as created_at
                    from notifications n where n.account_id = p_account and n.user_id = p_user
                   order by n.is_read, n.created_at desc, n.id desc offset p_skip limit p_limit + 1) item) numbered;
end $$;
create function app.count_unread(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text, out body text)
language plpgsql stable set search_path = public, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  select json_build_object('count', count(*))::text into body
    from notifications where account_id = p_account and user_id = p_user and not is_read;
end $$;
create function app.mark_notification_read(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text,
                                           p_id uuid, out body text)
language plpgsql set search_path = public, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  update notifications n set is_read = true, read_at = coalesce(n.read_at, app.now())
   where n.account_id = p_account and n.id = p_id and n.user_id = p_user
  returning app.notification_json(n)::text into body;
end $$;
