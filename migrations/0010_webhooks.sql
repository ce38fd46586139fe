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
  -- The header `webhook-id`, the same in every attempt and in a replay. An event has one for all webhooks, but entries of the audit log.
  message_id       text not null check (length(message_id) <= 100),
  type             text not null check (length(type) <= 100),
  -- The range of a message with entries of the audit log.
  first_sequence   bigint,
  last_sequence    bigint,
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
create index webhook_deliveries_audit on webhook_deliveries (account_id, webhook_id, last_sequence) where last_sequence is not null;
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

-- The last number of each account's audit log. It only grows: entries that are deleted leave a gap.
create table audit_sequences (
  account_id    uuid primary key default app.account_id() references accounts on delete cascade,
  last_sequence bigint not null check (last_sequence > 0)
);
call app.protect('audit_sequences', writes => '{}');
create policy own on audit_sequences for select using (account_id = (select app.signed_account_id()));
grant select on audit_sequences to app_runtime;
grant select, delete on audit_sequences to app_platform;

-- Numbers the entries of a transaction at its commit. The counter is locked last, so a deadlock with other locks is not possible, and until
-- the end of the transaction, so whoever sees a number sees all before it. The first entry numbers those after it too.
create function app.number_audit_entries() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  count bigint;
  last bigint;
begin
  -- Looking at this entry alone: to count those without a number for each of them would take the square of their number.
  if (select l.sequence is not null from audit_logs l where l.id = new.id) then
    return null;
  end if;
  count := (select count(*) from audit_logs l where l.account_id = new.account_id and l.sequence is null);
  if count = 0 then
    return null;
  end if;
  insert into audit_sequences as s (account_id, last_sequence) values (new.account_id, count)
  on conflict (account_id) do update set last_sequence = s.last_sequence + excluded.last_sequence
  returning s.last_sequence into last;
  update audit_logs l set sequence = last - count + n.number
    from (select id, row_number() over (order by id) as number from audit_logs where account_id = new.account_id and sequence is null) n
   where l.id = n.id;
  perform app.forward_audit_entries(new.account_id, last - count + 1, last);
  return null;
end $$;
create constraint trigger number after insert on audit_logs deferrable initially deferred
  for each row execute function app.number_audit_entries();

-- The ranges of the audit log that a webhook did not get: those of its failed deliveries, the newest 20.
create function app.missed_audit_entries(p_account uuid, p_webhook uuid) returns json
language sql stable set search_path = public, pg_temp as $$
  select coalesce(json_agg(json_build_object('first_sequence', lower(r), 'last_sequence', upper(r) - 1) order by r), '[]')
    from (select r from (select unnest(range_agg(int8range(d.first_sequence, d.last_sequence, '[]'))) as r from webhook_deliveries d
                          where d.account_id = p_account and d.webhook_id = p_webhook and d.state = 'failed' and d.last_sequence is not null) missed
           order by r desc limit 20) newest
$$;

-- The body of a message with a range of the audit log. Longer `changes` are null, so that each entry fits into a message. A short one has neither
-- changes nor names.
create function app.audit_message(p_account uuid, p_first bigint, p_last bigint, p_timestamp text, p_missed json, p_is_short boolean default false)
returns text
language sql stable set search_path = public, pg_temp as $$
  select json_build_object('type', 'audit.recorded', 'timestamp', p_timestamp, 'data', json_build_object(
           'first_sequence', p_first, 'last_sequence', p_last, 'missed', p_missed, 'entries', coalesce(json_agg(json_build_object(
             'sequence', l.sequence, 'id', l.id, 'account_id', l.account_id, 'actor_id', l.actor_id,
             'actor_name', case when not p_is_short then actor.full_name end,
             'action', l.action, 'resource_type', l.resource_type, 'resource_id', l.resource_id,
             'changes', case when not p_is_short and octet_length(l.changes::text) <= 8000 then l.changes end, 'ip', l.ip, 'created_at', app.iso(l.created_at))
             order by l.sequence), '[]')))::text
    from audit_logs l left join users actor on actor.account_id = l.account_id and actor.id = l.actor_id
   where l.account_id = p_account and l.sequence between p_first and p_last
$$;

-- Stores messages with new entries, of at most 100 each, for the webhooks that want them. A message that no attempt has sent grows, so a burst
-- is few messages; the sweep publishes them within a minute. Of a webhook that is off they fail at once: they are missed, and may be replayed.
-- It waits for no lock: whoever changes a webhook and its deliveries waits for the numbers of its own entry.
create function app.forward_audit_entries(p_account uuid, p_first bigint, p_last bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  most_bytes constant integer := 90000;
  w record;
  waiting record;
  message text;
  first bigint;
  last bigint;
  id uuid;
begin
  for w in
    select h.id, h.is_active from webhooks h
     where h.account_id = p_account and 'audit.recorded' = any (h.events) order by h.id for key share skip locked
  loop
    first := p_first;
    select d.id, d.first_sequence, d.payload::json ->> 'timestamp' as at, d.payload::json #> '{data,missed}' as missed into waiting
      from webhook_deliveries d
     where d.account_id = p_account and d.webhook_id = w.id and d.last_sequence = p_first - 1 and d.first_sequence > p_last - 100
       and d.attempts = 0 and d.leased_until is null and d.state = case when w.is_active then 'pending' else 'failed' end
     limit 1 for no key update skip locked;
    if found then
      message := app.audit_message(p_account, waiting.first_sequence, p_last, waiting.at, waiting.missed);
      if octet_length(message) <= most_bytes then
        update webhook_deliveries d set payload = message, last_sequence = p_last where d.id = waiting.id;
        continue;
      end if;
    end if;
    while first <= p_last loop
      last := least(p_last, first + 99);
      loop
        message := app.audit_message(p_account, first, last, app.iso(app.now()),
                                     case when w.is_active then app.missed_audit_entries(p_account, w.id) else '[]' end);
        exit when octet_length(message) <= most_bytes or last = first;
        last := first + (last - first) / 2;
      end loop;
      id := uuidv7();
      insert into webhook_deliveries (id, account_id, webhook_id, message_id, type, subject, payload, first_sequence, last_sequence, state,
                                      next_attempt_at, last_error)
      values (id, p_account, w.id, 'msg_' || replace(id::text, '-', ''), 'audit.recorded', 'audit', message, first, last,
              case when w.is_active then 'pending' else 'failed' end, case when w.is_active then app.now() end,
              case when not w.is_active then 'The webhook was switched off' end);
      first := last + 1;
    end loop;
  end loop;
end $$;

-- Writes messages again that name one of these ids, from entries of the audit log in which a person was erased. Names may have become longer
-- meanwhile, and nobody's name may hold up the erasure of another person.
create function app.rewrite_audit_messages(p_account uuid, p_ids uuid[]) returns void
language sql set search_path = public, pg_temp as $$
  update webhook_deliveries d
     set payload = (
           select case when octet_length(m.text) <= 100000 then m.text
                       else app.audit_message(p_account, d.first_sequence, d.last_sequence, m.at, m.missed, true) end
             from (select app.audit_message(p_account, d.first_sequence, d.last_sequence, at, missed) as text, at, missed
                     from (select d.payload::json ->> 'timestamp' as at, d.payload::json #> '{data,missed}' as missed) p) m),
         response_body = null
   where d.account_id = p_account and d.last_sequence is not null
     and exists (select from unnest(p_ids) i where d.payload like '%' || i || '%')
$$;
revoke execute on function app.forward_audit_entries(uuid, bigint, bigint), app.rewrite_audit_messages(uuid, uuid[]) from app_runtime;
