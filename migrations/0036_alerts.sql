-- Every channel shows the texts of an escalation. E-mails are sent in batches, at one pace for the whole service.

-- The details of an escalation that its alert shows. Null for other events.
alter table events
  add column escalation jsonb,
  add constraint events_escalation check (jsonb_typeof(escalation) = 'object') not valid;
alter table notifications
  add column escalation jsonb,
  add constraint notifications_escalation check (jsonb_typeof(escalation) = 'object') not valid;

-- The idempotency key of the call that last contained an e-mail, while the provider may have accepted it. A retry uses the same key with the
-- same e-mails, so that none is sent twice.
alter table deliveries add column batch_key text;

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

-- As before, with the details of an escalation.
create function app.emit(p_key text, p_actor uuid, p_team uuid, p_users uuid[], p_admins boolean, p_mail_each boolean,
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
     where p_mail_each and not exists (
       select from matching m, jsonb_array_elements_text(m.email_addresses) a
        where m.channel = 'email' and lower(a) = lower(r.email))
    returning id, state
  )
  select array(select id from configured where state = 'pending' union all select id from personal where state = 'pending'),
         array(select id from recipients)
$$;
-- The previous version of the service calls this one.
create or replace function app.emit(p_key text, p_actor uuid, p_team uuid, p_users uuid[], p_admins boolean, p_mail_each boolean,
                                    p_title text, p_body text, p_link text, p_cause uuid,
                                    out delivery_ids uuid[], out user_ids uuid[])
language sql set search_path = public, pg_temp as $$
  select e.delivery_ids, e.user_ids
    from app.emit(p_key, p_actor, p_team, p_users, p_admins, p_mail_each, p_title, p_body, p_link, p_cause, null) e
$$;

create or replace function app.notification_json(n notifications) returns json language sql stable as $$
  select json_build_object('id', n.id, 'user_id', n.user_id, 'event_key', n.event_key, 'title', n.title, 'body', n.body,
    'link', n.link, 'escalation', n.escalation, 'is_read', n.is_read, 'read_at', app.iso(n.read_at), 'created_at', app.iso(n.created_at))
$$;
create or replace function app.list_notifications(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text,
                                                  p_skip integer, p_limit integer, out body text, out more boolean)
language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  select coalesce(json_agg(item order by r) filter (where r <= p_limit), '[]')::text, count(*) > p_limit
    into body, more
    from (select item, row_number() over () as r
            from (select n.id, n.user_id, n.event_key, n.title, n.body, n.link, n.escalation, n.is_read,
                         app.iso(n.read_at) as read_at, app.iso(n.created_at) as created_at
                    from notifications n where n.account_id = p_account and n.user_id = p_user
                   order by n.is_read, n.created_at desc, n.id desc offset p_skip limit p_limit + 1) item) numbered;
end $$;
