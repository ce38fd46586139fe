-- Sessions: a flow that is run for a ticket or a client. A session refers to a version of its flow, which never changes.
create function app.are_variables(j jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(j) = 'object' and octet_length(j::text) <= 65536 and (select count(*) <= 200 from jsonb_object_keys(j))
$$;

-- The answers of a session to secret fields of its intake form, by key, encrypted by the service (lib/vendors/auth/sealed-answers.ts). No list, export
-- or search reads this column.
create function app.are_secrets(j jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(j) = 'object' and octet_length(j::text) <= 131072 and (select count(*) <= 100 from jsonb_object_keys(j))
$$;

create table sessions (
  id                 uuid not null default uuidv7(),
  account_id         uuid not null default app.account_id() references accounts on delete cascade,
  team_id            uuid,
  user_id            uuid not null default app.user_id(),
  tree_account_id    uuid not null,
  tree_id            uuid not null,
  tree_version       integer not null,
  -- Copied from the version, so that one index serves searches in all three texts.
  tree_name          text not null,
  state              text not null check (state in ('prepared', 'in_progress', 'completed', 'abandoned')),
  ticket_number      text check (length(ticket_number) between 1 and 200),
  client_name        text check (length(client_name) between 1 and 200),
  variables          jsonb not null default '{}' constraint sessions_variables_size check (app.are_variables(variables)),
  secret_variables   jsonb not null default '{}' constraint sessions_secret_variables_size check (app.are_secrets(secret_variables)),
  outcome            text check (outcome in ('resolved', 'unresolved', 'escalated', 'cancelled')),
  notes              text check (length(notes) <= 20000),
  next_steps         text check (length(next_steps) <= 20000),
  batch_id           uuid,
  target_label       text check (length(target_label) between 1 and 255),
  -- The session that runs a sub-flow belongs to the step of another session. A session that waits for one names it.
  parent_session_id  uuid,
  parent_step_id     text,
  subflow_session_id uuid,
  -- Of a sub-flow that was completed: what its outputs have replaced in the variables of the parent, null for a new one. An undo restores it.
  replaced_variables jsonb check (jsonb_typeof(replaced_variables) = 'object'),
  -- Null before the start and after the last step.
  current_step_id    text,
  answered           integer not null default 0 check (answered >= 0),
  -- The number of steps on the longest remaining path.
  remaining          integer not null check (remaining >= 0),
  exported_at        timestamptz(3),
  -- When its user was given it by a colleague or took it. Null for whoever created it.
  assigned_at        timestamptz(3),
  started_at         timestamptz(3),
  completed_at       timestamptz(3),
  created_at         timestamptz(3) not null default app.now(),
  -- Seconds from start to completion, for the medians of the analytics.
  lasted             double precision generated always as (date_part('epoch', completed_at - started_at)) stored,
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete set null (team_id),
  foreign key (account_id, user_id) references users (account_id, id),
  foreign key (tree_account_id, tree_id, tree_version) references tree_versions (account_id, tree_id, version),
  check (tree_account_id in (account_id, app.platform_account())),
  check ((state = 'completed') = (completed_at is not null) and (state = 'completed') = (outcome is not null)),
  check (case state when 'prepared' then started_at is null when 'abandoned' then true else started_at is not null end),
  constraint sessions_parent foreign key (account_id, parent_session_id) references sessions (account_id, id) on delete cascade,
  constraint sessions_subflow foreign key (account_id, subflow_session_id) references sessions (account_id, id)
    on delete set null (subflow_session_id),
  constraint sessions_parent_step check ((parent_session_id is null) = (parent_step_id is null))
);
create index sessions_newest on sessions (account_id, created_at desc, id desc);
create index sessions_state on sessions (account_id, state, created_at desc, id desc);
create index sessions_user on sessions (account_id, user_id, created_at desc, id desc);
-- The analytics read these indexes without the rows. The first two leave out the user: with it the planner would choose them for one user,
-- and read the sessions of everyone.
create index sessions_started on sessions (account_id, started_at);
create index sessions_completed on sessions (account_id, completed_at) include (lasted, outcome) where completed_at is not null;
create index sessions_user_started on sessions (account_id, user_id, started_at);
create index sessions_user_completed on sessions (account_id, user_id, completed_at) include (lasted, outcome)
  where completed_at is not null;
create index sessions_tree_started on sessions (account_id, tree_id, started_at)
  include (id, state, lasted, tree_account_id, tree_version, outcome);
create index sessions_batch on sessions (account_id, batch_id) where batch_id is not null;
-- For the metrics of one team.
create index sessions_team_started on sessions (account_id, team_id, started_at);
create index sessions_team_completed on sessions (account_id, team_id, completed_at) include (lasted, outcome)
  where completed_at is not null;
-- For foreign keys, whose check would read the whole table when a row of the other one is deleted.
create index sessions_tree_version on sessions (tree_account_id, tree_id, tree_version);
create index sessions_parent on sessions (account_id, parent_session_id, id) where parent_session_id is not null;
create index sessions_subflow on sessions (account_id, subflow_session_id) where subflow_session_id is not null;

-- Returns a text as pairs of letters, so that a search for one or two letters can use an index: "zebra" is " ze br a  eb ra ".
create function app.pairs(p_text text) returns text language sql immutable parallel safe as $$
  select ' ' || regexp_replace(app.fold(p_text), '(..)', '\1 ', 'g') || ' ' || regexp_replace(substr(app.fold(p_text), 2), '(..)', '\1 ', 'g')
$$;
-- For parts of three or more letters, and for parts of one or two.
create index sessions_words on sessions
  using gin (account_id, app.fold(ticket_number) gin_trgm_ops, app.fold(client_name) gin_trgm_ops, app.fold(tree_name) gin_trgm_ops);
create index sessions_pairs on sessions
  using gin (account_id, app.pairs(ticket_number) gin_trgm_ops, app.pairs(client_name) gin_trgm_ops, app.pairs(tree_name) gin_trgm_ops);
-- A user and a flow belong to one account. Without this the planner expects almost no rows for a user and chooses any index.
create statistics sessions_of_one (dependencies) on account_id, user_id, tree_id from sessions;

create table session_decisions (
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  session_id       uuid not null,
  seq              integer not null,
  step_id          text not null,
  option_id        text,
  outcome          text check (outcome in ('done', 'skipped', 'failed')),
  note             text check (length(note) <= 20000),
  started_at       timestamptz(3) not null,
  duration_seconds integer not null check (duration_seconds >= 0),
  decided_at       timestamptz(3) not null default app.now(),
  decided_by       uuid not null default app.user_id(),
  primary key (account_id, session_id, seq),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, decided_by) references users (account_id, id),
  check ((option_id is null) <> (outcome is null)),
  constraint session_decisions_started check (started_at <= decided_at)
);

create table session_fallbacks (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  session_id       uuid not null,
  -- The decision it was tried for, which may not exist yet.
  seq              integer not null,
  step_id          text not null,
  fallback_step_id text not null,
  outcome          text not null check (outcome in ('done', 'skipped', 'failed')),
  note             text check (length(note) <= 20000),
  decided_at       timestamptz(3) not null default app.now(),
  decided_by       uuid not null default app.user_id(),
  primary key (id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, decided_by) references users (account_id, id)
);
create index session_fallbacks_session on session_fallbacks (account_id, session_id, seq);

create table session_custom_steps (
  id              uuid not null default uuidv7(),
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  session_id      uuid not null,
  source          text not null check (source in ('ad-hoc', 'step-library', 'forked-tree')),
  after_step_id   text not null,
  title           text not null check (length(title) between 1 and 300),
  description     text not null default '' check (length(description) <= 20000),
  library_step_id uuid,
  tree_account_id uuid,
  tree_id         uuid,
  node_id         text,
  created_by      uuid not null default app.user_id(),
  created_at      timestamptz(3) not null default app.now(),
  primary key (id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, library_step_id) references library_steps (account_id, id) on delete set null (library_step_id),
  foreign key (tree_account_id, tree_id) references trees (account_id, id),
  check (tree_account_id in (account_id, app.platform_account())),
  check ((tree_id is null) = (tree_account_id is null))
);
create index session_custom_steps_session on session_custom_steps (account_id, session_id, created_at, id);
create index session_custom_steps_library on session_custom_steps (account_id, library_step_id) where library_step_id is not null;
-- For the foreign key, whose check would read the whole table when a row of the other one is deleted.
create index session_custom_steps_tree on session_custom_steps (tree_account_id, tree_id) where tree_id is not null;

create table session_supporting_data (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  kind       text not null check (kind in ('text', 'screenshot')),
  title      text not null check (length(title) between 1 and 300),
  content    text check (length(content) between 1 and 20000),
  upload_id  uuid,
  step_id    text,
  created_by uuid not null default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  updated_at timestamptz(3) not null default app.now(),
  primary key (id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, upload_id) references uploads (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  check (case kind when 'text' then content is not null and upload_id is null else true end)
);
create index session_supporting_data_session on session_supporting_data (account_id, session_id, created_at, id);
create index session_supporting_data_upload on session_supporting_data (account_id, upload_id) where upload_id is not null;

create table session_ratings (
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  session_id      uuid not null,
  score           smallint not null check (score between 1 and 5),
  comment         text check (length(comment) <= 20000),
  rated_by        uuid not null default app.user_id(),
  rated_at        timestamptz(3) not null default app.now(),
  -- The user of the session, copied so that an index finds the ratings of one user.
  session_user_id uuid not null,
  primary key (account_id, session_id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, rated_by) references users (account_id, id),
  foreign key (account_id, session_user_id) references users (account_id, id)
);
create index session_ratings_rated on session_ratings (account_id, rated_at) include (score);
create index session_ratings_user on session_ratings (account_id, session_user_id, rated_at) include (score);

create table session_step_feedback (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  step_id    text not null,
  user_id    uuid not null default app.user_id(),
  helpful    boolean not null,
  comment    text check (length(comment) <= 20000),
  given_at   timestamptz(3) not null default app.now(),
  primary key (account_id, session_id, step_id, user_id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id)
);
create index session_step_feedback_given on session_step_feedback (account_id, given_at);

-- The evidence that a step of a flow required, as it was provided with the answer, by the same person. It ends with the answer, which can only be
-- undone.
create table session_evidence (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  seq        integer not null,
  key        text not null check (length(key) between 1 and 60),
  -- The order of the requirements.
  place      integer not null,
  type       text not null check (type in ('screenshot', 'text', 'number', 'boolean', 'select')),
  -- Copied from the flow, so that reports need no other table.
  label      text not null check (length(label) between 1 and 200),
  value      jsonb check (jsonb_typeof(value) in ('string', 'number', 'boolean')),
  upload_id  uuid,
  primary key (account_id, session_id, seq, key),
  foreign key (account_id, session_id, seq) references session_decisions (account_id, session_id, seq) on delete cascade,
  foreign key (account_id, upload_id) references uploads (account_id, id),
  check ((type = 'screenshot') = (upload_id is not null) and (type = 'screenshot') = (value is null))
);
create index session_evidence_upload on session_evidence (account_id, upload_id) where upload_id is not null;

-- The timer of the step at which a session waits. A session has one, which each step with a timer starts anew.
create table session_timers (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  -- The position of the session. A timer of another position reminds nobody.
  step_id    text not null,
  seq        integer not null,
  due_at     timestamptz(3) not null,
  -- The time of day that it waits for, in the time zone of the session's user. Null for a duration.
  until      time,
  state      text not null default 'waiting' check (state in ('waiting', 'sent', 'stopped')),
  primary key (account_id, session_id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade
);
-- For the sweep, which reads those of all accounts as the platform role.
create index session_timers_due on session_timers (due_at) where state = 'waiting';

-- Not of its sub-flows, which follow it.
create trigger audit after update of user_id on sessions
  for each row when (pg_trigger_depth() = 0 and new.user_id <> old.user_id) execute function app.audit('session');
create trigger remove_notifications after delete on sessions for each row execute function app.remove_notifications('/sessions/');
call app.protect('sessions');
call app.protect('session_decisions');
call app.protect('session_fallbacks');
call app.protect('session_custom_steps');
call app.protect('session_supporting_data');
call app.protect('session_ratings');
call app.protect('session_step_feedback');
call app.protect('session_evidence');
call app.protect('session_timers');

grant select, insert, delete on sessions to app_runtime;
grant update (user_id, assigned_at, state, ticket_number, client_name, variables, secret_variables, outcome, notes, next_steps, current_step_id, answered, remaining,
              exported_at, started_at, completed_at, subflow_session_id, replaced_variables) on sessions to app_runtime;
grant select, insert, delete on session_decisions, session_fallbacks to app_runtime;
grant select, insert on session_custom_steps to app_runtime;
grant select, insert, update (title, content, upload_id, step_id, updated_at), delete on session_supporting_data to app_runtime;
grant select, insert, update (score, comment, rated_by, rated_at, session_user_id) on session_ratings to app_runtime;
grant select, insert, update (helpful, comment, given_at), delete on session_step_feedback to app_runtime;
-- The runtime role cannot change or delete evidence: undoing an answer deletes it by the foreign key.
grant select, insert on session_evidence to app_runtime;
grant select, insert, update on session_timers to app_runtime;
grant select, insert, update, delete on sessions, session_decisions, session_fallbacks, session_custom_steps, session_supporting_data,
  session_ratings, session_step_feedback, session_evidence, session_timers to app_platform;

-- Returns the condition that a column of `sessions s` contains a part. A part with three alphanumeric characters in a row uses the index of
-- words. For any other part `|| ''` keeps that index unused, because it would be read completely; its pairs use the other index.
create function app.has_part(p_column text, p_part text) returns text language sql stable parallel safe as $$
  select case
    when p_part ~ '[[:alnum:]]{3}' then format('app.fold(s.%I) like app.fold(%L)', p_column, p.pattern)
    else format('app.fold(s.%I) || '''' like app.fold(%L)', p_column, p.pattern)
      || coalesce((select format(' and app.pairs(s.%I) like %L', p_column, '% ' || r[1] || '%')
                     from regexp_matches(app.fold(p_part), '[[:alnum:]]{1,2}', 'g') r order by length(r[1]) desc limit 1), '')
  end from (select '%' || regexp_replace(p_part, '[\\%_]', '\\\&', 'g') || '%' as pattern) p
$$;
-- Returns a bound of times: a time as it is, of a day its start or its end in the account's time zone. Times have milliseconds.
create function app.time_bound(p_text text, p_is_end boolean) returns timestamptz language sql stable set search_path = public, pg_temp as $$
  select case when length(p_text) > length('2026-11-21') then p_text::timestamptz
              when p_is_end then (p_text::date + 1)::timestamp at time zone a.timezone - interval '1 millisecond'
              else p_text::date::timestamp at time zone a.timezone end
    from accounts a where a.id = app.account_id()
$$;

-- Returns the ids of one page of the account's sessions, newest first. A filter that has no line here is the value of the column of its name.
-- Security definer: LIKE is not leakproof, so row level security would keep the indexes unused.
create function app.find_sessions(
  p_filters jsonb, p_skip integer, p_limit integer, p_after_at timestamptz default null, p_after_id uuid default null)
returns setof uuid language plpgsql stable security definer rows 50 set search_path = public, pg_temp as $$
declare
  v_conditions text;
begin
  perform app.require_scope();
  select coalesce(string_agg(' and ' || case name
           when 'ticket_number' then app.has_part(name, value)
           when 'client_name' then app.has_part(name, value)
           when 'tree_name' then app.has_part(name, value)
           when 'started_after' then format('s.started_at >= %L', app.time_bound(value, false))
           when 'completed_after' then format('s.completed_at >= %L', app.time_bound(value, false))
           -- A session is created before it starts and completes, so these times also bound created_at.
           when 'started_before' then format('s.started_at <= %1$L and s.created_at <= %1$L', app.time_bound(value, true))
           when 'completed_before' then format('s.completed_at <= %1$L and s.created_at <= %1$L', app.time_bound(value, true))
           when 'mine' then format('s.user_id %s app.user_id()', case value when 'true' then '=' else '<>' end)
           else format('s.%I = %L', name, value) end, ''), '')
    into v_conditions from jsonb_each_text(p_filters) f (name, value);
  return query execute
    'select s.id from sessions s where s.account_id = app.account_id()' || v_conditions
      || case when p_after_id is null then '' else ' and (s.created_at, s.id) < ($3, $4)' end
      || ' order by s.created_at desc, s.id desc offset $1 limit $2'
    using p_skip, p_limit, p_after_at, p_after_id;
end $$;

-- Marks a completed session as exported, the first time. It opens its own scope, because the scope of an export is read only.
create function app.mark_exported(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text,
                                  p_session uuid, out marked boolean)
language plpgsql set search_path = public, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  update sessions s set exported_at = app.now()
   where s.account_id = p_account and s.id = p_session and s.state = 'completed' and s.exported_at is null;
  marked := found;
end $$;

-- Returns the start of a period of p_days days in the caller's time zone. Today is the last day.
create function app.period_start(p_days integer) returns timestamptz language sql stable parallel safe
set search_path = public, pg_temp as $$
  select (date_trunc('day', app.now() at time zone u.timezone) - make_interval(days => p_days - 1)) at time zone u.timezone
    from users u where u.account_id = app.account_id() and u.id = app.user_id()
$$;

-- Returns the days of such a period with their start and end.
create function app.days_of(p_days integer) returns table (date text, start timestamptz, until timestamptz)
language sql stable parallel safe rows 90 set search_path = public, pg_temp as $$
  select to_char(d.day, 'YYYY-MM-DD'), d.day at time zone u.timezone, (d.day + interval '1 day') at time zone u.timezone
    from users u, lateral (
      select date_trunc('day', app.now() at time zone u.timezone) - make_interval(days => n) as day from generate_series(0, p_days - 1) n) d
   where u.account_id = app.account_id() and u.id = app.user_id()
$$;

-- Returns the next time at which clocks in a zone show a time of day. A time that the zone skips is as much later.
create function app.next_time_of_day(p_time time, p_zone text) returns timestamptz language sql stable parallel safe as $$
  select min(candidate) from (
    select ((app.now() at time zone z.name)::date + days + p_time) at time zone z.name as candidate
      from (select app.known_timezone(p_zone) as name) z, generate_series(0, 1) days) c
   where candidate > app.now()
$$;
-- What was computed from a time zone follows it: a timer until a time of day the zone of its session's user, and the handover of a team that has
-- no zone the one of the account. What is due already stays due. Security definer, because an admin may change the zone of a member.
create function app.follow_timezone_of_timers() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update session_timers t set due_at = app.next_time_of_day(t.until, u.timezone)
    from sessions s join users u on u.account_id = s.account_id and u.id = s.user_id
   where s.account_id = new.account_id and case tg_table_name when 'users' then s.user_id else s.id end = new.id and s.state = 'in_progress'
     and t.account_id = s.account_id and t.session_id = s.id and t.state = 'waiting' and t.until is not null and t.due_at > app.now();
  return null;
end $$;
create trigger timers after update of timezone on users for each row
  when (old.timezone is distinct from new.timezone) execute function app.follow_timezone_of_timers();
create trigger timers after update of user_id on sessions for each row
  when (old.user_id is distinct from new.user_id) execute function app.follow_timezone_of_timers();
create function app.follow_timezone_of_account() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update teams t set handover_at = app.next_time_of_day(t.handover_time, new.timezone)
   where t.account_id = new.id and t.timezone is null and t.handover_time is not null and t.handover_at > app.now();
  return null;
end $$;
create trigger handovers after update of timezone on accounts for each row
  when (old.timezone is distinct from new.timezone) execute function app.follow_timezone_of_account();
