-- What live streams need: their events and tickets, and who looks at or edits a flow, session or AI session now.

-- Events for the open streams of an account. An event is inserted with its cause and deleted when the hub has received it.
create table stream_events (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  event      text not null check (
    event in ('handoff_created', 'handoff_claimed', 'handoff_closed', 'handoff_assessment_ready', 'ai_task_finished', 'ticket_changed', 'approval_changed', 'kb_batch_finished',
              'job_progressed', 'script_run_finished')),
  data       jsonb not null check (jsonb_typeof(data) = 'object'),
  created_at timestamptz(3) not null default app.now(),
  -- When a sweep last took the event, because its first publish failed.
  swept_at   timestamptz(3),
  primary key (id),
  unique (account_id, id)
);
-- For the sweep, which reads the events of all accounts as the platform role.
create index stream_events_waiting on stream_events (created_at);
call app.protect('stream_events');
grant select, insert, delete on stream_events to app_runtime;
grant select, insert, update, delete on stream_events to app_platform;

-- Tickets with which an EventSource opens a stream, because it cannot send an access token. Tickets and secrets are stored as hashes, which
-- only the platform role reads.
create table stream_tickets (
  hash           bytea primary key,
  sign_in_id     uuid not null references sign_ins on delete cascade,
  -- The secret of the opened stream. A reconnect needs it and the ticket. Null until the ticket is used.
  reconnect_hash bytea,
  -- Of the ticket, and after its use of the reconnects.
  expires_at     timestamptz(3) not null
);
create index stream_tickets_sign_in on stream_tickets (sign_in_id);
create index stream_tickets_expiry on stream_tickets (expires_at);
grant select, insert, update, delete on stream_tickets to app_platform;

-- Presence. Unlogged: after a crash of PostgreSQL it is empty, and each client repeats its presence within a minute.
create unlogged table presence (
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  resource_type text not null check (resource_type in ('flow', 'session', 'ai_session')),
  resource_id   uuid not null,
  user_id       uuid not null default app.user_id(),
  -- Chosen by the client, so that a person's second tab does not end the presence of the first.
  tab_id        text not null check (length(tab_id) <= 36),
  mode          text not null check (mode in ('viewing', 'editing')),
  since         timestamptz(3) not null default app.now(),
  -- Not indexed: a repetition then changes no index. The clean-up reads the whole table, which has few rows.
  expires_at    timestamptz(3) not null,
  primary key (account_id, resource_type, resource_id, user_id, tab_id),
  foreign key (account_id, user_id) references users (account_id, id)
) with (fillfactor = 50);
create index presence_user on presence (account_id, user_id);

call app.protect('presence');
call app.delete_with_person('presence');
grant select, insert, delete, update (mode, since, expires_at) on presence to app_runtime;
grant select, insert, update, delete on presence to app_platform;

-- Whether the caller sees a resource.
create function app.sees_resource(p_type text, p_id uuid) returns boolean language sql stable set search_path = public, pg_temp as $$
  select case p_type
    when 'flow' then exists (
      select from trees t where t.id = p_id and t.deleted_at is null
         and ((t.account_id = app.account_id() and app.sees(t.visibility, t.author_id, t.team_id))
              or (t.account_id = app.platform_account() and t.status = 'published')))
    when 'session' then exists (select from sessions s where s.account_id = app.account_id() and s.id = p_id)
    when 'ai_session' then exists (
      select from ai_sessions s where s.account_id = app.account_id() and s.id = p_id and app.sees_ai_session(s))
    else false end
$$;

-- The users of an account who see a resource; null for all of them, and none for a resource that is gone. The rules are those of app.sees
-- and app.sees_ai_session.
create function app.resource_audience(p_account uuid, p_type text, p_id uuid) returns uuid[]
language plpgsql stable set search_path = public, pg_temp as $$
declare
  t trees;
  s ai_sessions;
begin
  if p_type = 'session' then
    return null;
  elsif p_type = 'flow' then
    select * into t from trees x where x.id = p_id and x.account_id in (p_account, app.platform_account()) and x.deleted_at is null;
    return case
      when t.id is null then '{}'
      when t.account_id = app.platform_account() or t.visibility in ('account', 'public') then null
      when t.visibility = 'private' then array[t.author_id]
      else array(select u.id from users u
                  where u.account_id = p_account and (u.id = t.author_id or u.team_id = t.team_id or u.role = 'admin')) end;
  end if;
  select * into s from ai_sessions x where x.account_id = p_account and x.id = p_id;
  return case
    when s.id is null then '{}'
    when s.status in ('requesting_escalation', 'escalated') then null
    else array_remove(array[s.user_id, s.escalated_to_id, s.picked_up_by_id], null)
         || array(select h.claimed_by from ai_handoffs h
                   where h.account_id = p_account and h.session_id = s.id and h.claimed_by is not null) end;
end $$;

-- The mode of a user at a resource over all of their tabs; null when they are not there. Editing in one tab is editing.
create function app.presence_mode(p_account uuid, p_type text, p_id uuid, p_user uuid) returns text
language sql stable set search_path = public, pg_temp as $$
  select min(p.mode) from presence p
   where p.account_id = p_account and p.resource_type = p_type and p.resource_id = p_id and p.user_id = p_user and p.expires_at > app.now()
$$;

-- The event that tells colleagues where a user is now, and its audience. The mode is null when they have left.
create function app.presence_event(p_account uuid, p_type text, p_id uuid, p_user uuid) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select jsonb_build_object(
    'audience', app.resource_audience(p_account, p_type, p_id),
    'data', jsonb_build_object(
      'type', p_type, 'id', p_id, 'user', jsonb_build_object('id', u.id, 'name', u.full_name),
      'mode', app.presence_mode(p_account, p_type, p_id, p_user),
      'since', (select app.iso(min(p.since)) from presence p
                 where p.account_id = p_account and p.resource_type = p_type and p.resource_id = p_id and p.user_id = p_user
                   and p.expires_at > app.now())))
    from users u where u.account_id = p_account and u.id = p_user
$$;

-- Wait for other changes of the presence at a resource, so that limits are exact and each change is announced once.
create function app.lock_presence(p_type text, p_id uuid) returns void language sql volatile set search_path = public, pg_temp as $$
  select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'presence', app.account_id(), p_type, p_id), 0))
$$;

-- Store that the caller is at a resource, for 60 seconds. Return no row if they do not see it, and an event if colleagues see a difference.
-- Raise SF4LR for the 21st presence of a person and the 101st at a resource, and SF403 for a viewer who edits.
create function app.put_presence(p_type text, p_id uuid, p_tab text, p_mode text)
returns table (expires_at timestamptz, event jsonb) language plpgsql set search_path = public, pg_temp as $$
declare
  v_until constant timestamptz := app.now() + interval '60 seconds';
  v_before text;
  v_used bigint;
begin
  if not app.sees_resource(p_type, p_id) then
    return;
  end if;
  if p_mode = 'editing' and app.role() = 'viewer' then
    raise exception 'viewers cannot edit' using errcode = 'SF403';
  end if;
  -- The usual case, a repetition, takes no lock.
  update presence p set expires_at = v_until
   where p.account_id = app.account_id() and p.resource_type = p_type and p.resource_id = p_id and p.user_id = app.user_id()
     and p.tab_id = p_tab and p.mode = p_mode and p.expires_at > app.now();
  if found then
    return query select v_until, null::jsonb;
    return;
  end if;
  perform app.lock_presence(p_type, p_id);
  perform pg_advisory_xact_lock(hashtextextended('presence ' || app.user_id(), 0));
  v_before := app.presence_mode(app.account_id(), p_type, p_id, app.user_id());
  insert into presence as p (resource_type, resource_id, tab_id, mode, expires_at) values (p_type, p_id, p_tab, p_mode, v_until)
  on conflict (account_id, resource_type, resource_id, user_id, tab_id) do update
    set mode = excluded.mode, expires_at = excluded.expires_at, since = case when p.expires_at > app.now() then p.since else excluded.since end;
  select count(*) into v_used from presence p
   where p.account_id = app.account_id() and p.user_id = app.user_id() and p.expires_at > app.now();
  if v_used > 20 then
    perform app.raise_limit_reached('presence_per_person', v_used - 1, 20);
  end if;
  select count(*) into v_used from presence p
   where p.account_id = app.account_id() and p.resource_type = p_type and p.resource_id = p_id and p.expires_at > app.now();
  if v_used > 100 then
    perform app.raise_limit_reached('presence_per_resource', v_used - 1, 100);
  end if;
  return query select v_until, case
    when v_before is distinct from app.presence_mode(app.account_id(), p_type, p_id, app.user_id())
    then app.presence_event(app.account_id(), p_type, p_id, app.user_id()) end;
end $$;

-- Remove the caller's presence in one tab, or in all tabs if `p_tab` is null. Return an event if colleagues see a difference.
create function app.delete_presence(p_type text, p_id uuid, p_tab text) returns jsonb
language plpgsql set search_path = public, pg_temp as $$
declare
  v_before text;
begin
  perform app.lock_presence(p_type, p_id);
  v_before := app.presence_mode(app.account_id(), p_type, p_id, app.user_id());
  delete from presence p
   where p.account_id = app.account_id() and p.resource_type = p_type and p.resource_id = p_id and p.user_id = app.user_id()
     and p.tab_id = coalesce(p_tab, p.tab_id);
  return case when v_before is distinct from app.presence_mode(app.account_id(), p_type, p_id, app.user_id())
              then app.presence_event(app.account_id(), p_type, p_id, app.user_id()) end;
end $$;
