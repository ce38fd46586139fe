-- Sessions: a flow run for a ticket or client. What the flow was is its version, which never changes; a session only points at it.
create function app.are_variables(j jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(j) = 'object' and octet_length(j::text) <= 65536 and (select count(*) <= 200 from jsonb_object_keys(j))
$$;

create table sessions (
  id              uuid not null default uuidv7(),
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  team_id         uuid,
  user_id         uuid not null default app.user_id(),
  tree_account_id uuid not null,
  tree_id         uuid not null,
  tree_version    integer not null,
  -- The version's name once more, so that one index finds sessions by any part of their words.
  tree_name       text not null,
  state           text not null check (state in ('prepared', 'in_progress', 'completed', 'abandoned')),
  ticket_number   text check (length(ticket_number) between 1 and 200),
  client_name     text check (length(client_name) between 1 and 200),
  variables       jsonb not null default '{}' constraint sessions_variables_size check (app.are_variables(variables)),
  outcome         text check (outcome in ('resolved', 'unresolved', 'escalated', 'cancelled')),
  notes           text check (length(notes) <= 20000),
  next_steps      text check (length(next_steps) <= 20000),
  batch_id        uuid,
  target_label    text check (length(target_label) between 1 and 255),
  -- Null until it starts and again once the last step is answered.
  current_step_id text,
  answered        integer not null default 0 check (answered >= 0),
  -- Steps of the longest way that is left.
  remaining       integer not null check (remaining >= 0),
  exported_at     timestamptz(3),
  started_at      timestamptz(3),
  completed_at    timestamptz(3),
  created_at      timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete set null (team_id),
  foreign key (account_id, user_id) references users (account_id, id),
  foreign key (tree_account_id, tree_id, tree_version) references tree_versions (account_id, tree_id, version),
  check (tree_account_id in (account_id, app.platform_account())),
  check ((state = 'completed') = (completed_at is not null) and (state = 'completed') = (outcome is not null)),
  check (case state when 'prepared' then started_at is null when 'abandoned' then true else started_at is not null end)
);
create index sessions_newest on sessions (account_id, created_at desc, id desc);
create index sessions_started on sessions (account_id, started_at);
create index sessions_completed on sessions (account_id, completed_at) where completed_at is not null;
create index sessions_batch on sessions (account_id, batch_id) where batch_id is not null;
create index sessions_tree on sessions (account_id, tree_id, tree_version);
create index sessions_user on sessions (account_id, user_id);
create index sessions_team on sessions (account_id, team_id);
create index sessions_words on sessions
  using gin (account_id, lower(ticket_number) gin_trgm_ops, lower(client_name) gin_trgm_ops, lower(tree_name) gin_trgm_ops);

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
  primary key (account_id, session_id, seq),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  check ((option_id is null) <> (outcome is null))
);

create table session_fallbacks (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  session_id       uuid not null,
  -- Of the decision it was tried for, taken or still to come.
  seq              integer not null,
  step_id          text not null,
  fallback_step_id text not null,
  outcome          text not null check (outcome in ('done', 'skipped', 'failed')),
  note             text check (length(note) <= 20000),
  decided_at       timestamptz(3) not null default app.now(),
  primary key (id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade
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
  created_at      timestamptz(3) not null default app.now(),
  primary key (id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, library_step_id) references library_steps (account_id, id) on delete set null (library_step_id),
  foreign key (tree_account_id, tree_id) references trees (account_id, id),
  check (tree_account_id in (account_id, app.platform_account())),
  check ((tree_id is null) = (tree_account_id is null))
);
create index session_custom_steps_session on session_custom_steps (account_id, session_id, created_at, id);
create index session_custom_steps_library on session_custom_steps (account_id, library_step_id) where library_step_id is not null;

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
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  score      smallint not null check (score between 1 and 5),
  comment    text check (length(comment) <= 20000),
  rated_by   uuid not null default app.user_id(),
  rated_at   timestamptz(3) not null default app.now(),
  primary key (account_id, session_id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, rated_by) references users (account_id, id)
);

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

alter table sessions enable row level security;
alter table sessions force row level security;
create policy own on sessions using (account_id = app.account_id()) with check (account_id = app.account_id());
alter table session_decisions enable row level security;
alter table session_decisions force row level security;
create policy own on session_decisions using (account_id = app.account_id()) with check (account_id = app.account_id());
alter table session_fallbacks enable row level security;
alter table session_fallbacks force row level security;
create policy own on session_fallbacks using (account_id = app.account_id()) with check (account_id = app.account_id());
alter table session_custom_steps enable row level security;
alter table session_custom_steps force row level security;
create policy own on session_custom_steps using (account_id = app.account_id()) with check (account_id = app.account_id());
alter table session_supporting_data enable row level security;
alter table session_supporting_data force row level security;
create policy own on session_supporting_data using (account_id = app.account_id()) with check (account_id = app.account_id());
alter table session_ratings enable row level security;
alter table session_ratings force row level security;
create policy own on session_ratings using (account_id = app.account_id()) with check (account_id = app.account_id());
alter table session_step_feedback enable row level security;
alter table session_step_feedback force row level security;
create policy own on session_step_feedback using (account_id = app.account_id()) with check (account_id = app.account_id());

grant select, insert, delete on sessions to app_runtime;
grant update (state, ticket_number, client_name, variables, outcome, notes, next_steps, current_step_id, answered, remaining, exported_at,
              started_at, completed_at) on sessions to app_runtime;
grant select, insert, delete on session_decisions, session_fallbacks to app_runtime;
grant select, insert on session_custom_steps to app_runtime;
grant select, insert, update (title, content, upload_id, step_id, updated_at), delete on session_supporting_data to app_runtime;
grant select, insert, update (score, comment, rated_by, rated_at) on session_ratings to app_runtime;
grant select, insert, update (helpful, comment, given_at) on session_step_feedback to app_runtime;
grant select, insert, update, delete on sessions, session_decisions, session_fallbacks, session_custom_steps, session_supporting_data,
  session_ratings, session_step_feedback to app_platform;

-- A page of the account's sessions, newest first. It searches by itself, since LIKE is not leakproof and row level security would
-- leave the index unused; what is not asked for folds away, since the statement is planned with its values each time.
create function app.find_sessions(
  p_ticket text, p_client text, p_tree text, p_started_after timestamptz, p_started_before timestamptz,
  p_completed_after timestamptz, p_completed_before timestamptz, p_batch uuid, p_skip integer, p_limit integer)
returns setof uuid language plpgsql stable security definer rows 50 set search_path = public, pg_temp as $$
begin
  return query execute
    'select s.id from sessions s
      where s.account_id = app.account_id()
        and ($1 is null or lower(s.ticket_number) like lower($1))
        and ($2 is null or lower(s.client_name) like lower($2))
        and ($3 is null or lower(s.tree_name) like lower($3))
        and ($4 is null or s.started_at >= $4) and ($5 is null or s.started_at <= $5)
        and ($6 is null or s.completed_at >= $6) and ($7 is null or s.completed_at <= $7)
        and ($8 is null or s.batch_id = $8)
      order by s.created_at desc, s.id desc offset $9 limit $10'
    using p_ticket, p_client, p_tree, p_started_after, p_started_before, p_completed_after, p_completed_before, p_batch, p_skip, p_limit;
end $$;

-- Where a flow of the account's or the platform's stands in its line of forks, also one that the caller does not see any more: who ran
-- it may keep what they made of it.
create function app.tree_line(
  p_account uuid, p_tree uuid, out root_account_id uuid, out root_id uuid, out depth integer)
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(t.root_account_id, t.account_id), coalesce(t.root_tree_id, t.id), t.fork_depth from trees t
   where t.account_id = p_account and t.id = p_tree and t.account_id in (app.account_id(), app.platform_account())
$$;
