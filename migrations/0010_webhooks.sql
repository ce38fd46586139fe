-- Outgoing webhooks by the Standard Webhooks specification, and the log of their deliveries.
create table webhooks (
  id                    uuid not null default uuidv7(),
  account_id            uuid not null default app.account_id() references accounts on delete cascade,
  url                   text not null check (length(url) between 1 and 2000),
  description           text not null default '' check (length(description) <= 200),
  events                text[] not null check (cardinality(events) between 1 and 50),
  -- Encrypted with the service's key; the ids of the account and the webhook are authenticated with it.
  secret                text not null check (length(secret) <= 500),
  -- The secret before the last rotation, which also signs until this time.
  previous_secret       text check (length(previous_secret) <= 500),
  previous_secret_until timestamptz(3),
  is_active             boolean not null default true,
  -- Why the service switched it off. Null after a change by an admin.
  disabled_reason       text check (disabled_reason in ('gone', 'failing')),
  -- The failed attempts since the last success, and the time of the first of them.
  failures              integer not null default 0 check (failures >= 0),
  failing_since         timestamptz(3),
  -- After several failures no attempt starts before this time.
  paused_until          timestamptz(3),
  last_replay_at        timestamptz(3),
  created_by            uuid default app.user_id(),
  created_at            timestamptz(3) not null default app.now(),
  updated_at            timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id) on delete set null (created_by)
);
create index webhooks_newest on webhooks (account_id, created_at desc, id desc);
create index webhooks_creator on webhooks (account_id, created_by);
create trigger audit after insert or delete on webhooks
  for each row execute function app.audit('webhook', 'url', 'secret', 'previous_secret');
create trigger audit_changes after update of url, description, events, secret, is_active, last_replay_at on webhooks
  for each row execute function app.audit('webhook', 'url', 'secret', 'previous_secret');

create table webhook_deliveries (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  webhook_id       uuid not null,
  -- The header `webhook-id`. The same event has the same id for every webhook, in every attempt and in a replay.
  message_id       text not null check (length(message_id) <= 100),
  type             text not null check (length(type) <= 100),
  -- What the event is about. Deliveries of one subject leave in order.
  subject          text not null check (length(subject) <= 100),
  -- The exact body, which is signed.
  payload          text not null check (octet_length(payload) <= 100000),
  state            text not null default 'pending' check (state in ('pending', 'retrying', 'delivered', 'failed')),
  -- Attempts before the last replay.
  earlier_attempts integer not null default 0,
  -- The start of the last response, masked.
  response_body    text check (octet_length(response_body) <= 20000),
  duration_ms      integer,
  last_attempt_at  timestamptz(3),
  replayed_at      timestamptz(3),
  delivered_at     timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);
call app.attempts('webhook_deliveries', max => 10);
create index webhook_deliveries_log on webhook_deliveries (account_id, webhook_id, created_at desc, id desc);
create index webhook_deliveries_failed on webhook_deliveries (account_id, webhook_id, created_at) where state = 'failed';
-- Open deliveries, for claims and for the sweep, which reads those of all accounts as the platform role.
create index webhook_deliveries_open on webhook_deliveries (account_id, webhook_id, id) where state in ('pending', 'retrying');
create index webhook_deliveries_age on webhook_deliveries (created_at);
create trigger audit_test after insert on webhook_deliveries for each row
  when (new.type = 'webhook.test' and app.user_id() is not null) execute function app.audit('webhook_test');

call app.protect('webhooks');
call app.protect('webhook_deliveries');
grant select, insert, update, delete on webhooks to app_runtime;
grant select, insert, update on webhook_deliveries to app_runtime;
grant select, insert, update, delete on webhooks, webhook_deliveries to app_platform;

-- Inserts a message for each webhook of the scope's account that wants the event. Returns the deliveries to publish.
create function app.emit_webhook(p_type text, p_subject text, p_data json) returns uuid[]
language sql set search_path = public, pg_temp as $$
  with message as materialized (
    select 'msg_' || replace(uuidv7()::text, '-', '') as id,
           json_build_object('type', p_type, 'timestamp', app.iso(app.now()), 'data', p_data)::text as payload
  ), inserted as (
    insert into webhook_deliveries (account_id, webhook_id, message_id, type, subject, payload)
    select w.account_id, w.id, m.id, p_type, p_subject, m.payload from webhooks w, message m
     where w.account_id = app.account_id() and w.is_active and p_type = any (w.events)
     order by w.id
    returning id
  )
  select array(select id from inserted)
$$;

-- Whether an earlier delivery of the same subject is open, other than `p_except`. One with three failed attempts no longer holds up others.
create function app.has_earlier_webhook(d webhook_deliveries, p_except uuid) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (
    select from webhook_deliveries o
     where o.account_id = d.account_id and o.webhook_id = d.webhook_id and o.state in ('pending', 'retrying')
       and o.subject = d.subject and o.id < d.id and o.id is distinct from p_except and o.attempts - o.earlier_attempts < 3)
$$;
-- Whether an attempt may start now. Claims of one account wait for one another here, so the limits are exact:
-- 4 attempts per account and 2 per webhook at the same time, or 1 while the webhook fails.
create function app.may_attempt_webhook(d webhook_deliveries) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare
  w webhooks;
  running bigint;
  running_here bigint;
begin
  if d.type = 'webhook.test' then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('webhooks:' || d.account_id, 0));
  select * into w from webhooks where account_id = d.account_id and id = d.webhook_id;
  if not coalesce(w.is_active, false) or w.paused_until > app.now() then
    return false;
  end if;
  select count(*), count(*) filter (where o.webhook_id = d.webhook_id) into running, running_here
    from webhook_deliveries o
   where o.account_id = d.account_id and o.state in ('pending', 'retrying') and o.leased_until > app.now() and o.type <> 'webhook.test';
  return running < 4 and running_here < case when w.failures > 0 then 1 else 2 end and not app.has_earlier_webhook(d, null);
end $$;

-- Switches a webhook off, fails its open deliveries, and inserts an e-mail to each account admin with a verified address. Returns the
-- e-mails to publish; none if it was off.
create function app.disable_webhook(p_account uuid, p_webhook uuid, p_reason text) returns uuid[]
language plpgsql set search_path = public, pg_temp as $$
declare
  mails uuid[];
begin
  update webhooks set is_active = false, disabled_reason = p_reason, paused_until = null, updated_at = app.now()
   where account_id = p_account and id = p_webhook and is_active;
  if not found then
    return '{}';
  end if;
  update webhook_deliveries set state = 'failed', leased_until = null, next_attempt_at = null, last_error = 'The webhook was switched off'
   where account_id = p_account and webhook_id = p_webhook and state in ('pending', 'retrying');
  with mail as (
    insert into deliveries (account_id, channel, recipient, purpose, user_id, webhook_id)
    select u.account_id, 'email', u.email, 'webhook_disabled', u.id, p_webhook from users u
     where u.account_id = p_account and u.role = 'admin' and u.is_active and u.email_verified_at is not null
    returning id, state
  )
  select array_agg(id) into mails from mail where state = 'pending';
  return coalesce(mails, '{}');
end $$;
