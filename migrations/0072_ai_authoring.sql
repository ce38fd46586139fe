-- Flows written with a model: conversations in which a draft grows, and flows proposed from finished sessions.
create table flow_conversations (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  user_id          uuid not null default app.user_id(),
  goal             text not null check (length(goal) between 1 and 20000),
  tree_type        text not null check (tree_type in ('troubleshooting', 'procedural', 'maintenance')),
  environment_tags jsonb not null default '[]' check (jsonb_typeof(environment_tags) = 'array' and jsonb_array_length(environment_tags) <= 20),
  messages         jsonb not null check (jsonb_typeof(messages) = 'array'),
  draft            jsonb check (jsonb_typeof(draft) = 'object'),
  -- Grows with each turn: of two turns at once, begun on the same draft, one is kept.
  turns            integer not null default 1 check (turns between 1 and 100),
  created_at       timestamptz(3) not null default app.now(),
  expires_at       timestamptz(3) not null default app.now() + interval '24 hours',
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create index flow_conversations_user on flow_conversations (account_id, user_id);
-- The tidying deletes what is over in every account at once, through the platform's door.
create index flow_conversations_expired on flow_conversations (expires_at);

create table flow_proposals (
  id             uuid not null default uuidv7(),
  account_id     uuid not null default app.account_id() references accounts on delete cascade,
  team_id        uuid default app.team_id(),
  source         text not null check (source in ('session', 'ai_session')),
  source_id      uuid not null,
  action         text not null check (action in ('create', 'update')),
  target_tree_id uuid,
  -- The version that was read for an update: a flow saved since is not overwritten.
  target_version integer,
  proposed_flow  jsonb not null check (jsonb_typeof(proposed_flow) = 'object'),
  status         text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  submitted_by   uuid not null default app.user_id(),
  decided_by     uuid,
  decided_at     timestamptz(3),
  reason         text check (length(reason) between 1 and 20000),
  created_at     timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete set null (team_id),
  foreign key (account_id, submitted_by) references users (account_id, id),
  foreign key (account_id, decided_by) references users (account_id, id),
  foreign key (account_id, target_tree_id) references trees (account_id, id),
  check ((action = 'update') = (target_tree_id is not null) and (target_tree_id is null) = (target_version is null)),
  check ((status = 'pending') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((status = 'rejected') = (reason is not null))
);
create index flow_proposals_newest on flow_proposals (account_id, status, created_at desc, id desc);
create index flow_proposals_team on flow_proposals (account_id, team_id);
create index flow_proposals_target on flow_proposals (account_id, target_tree_id) where target_tree_id is not null;
-- What somebody did awaits review once.
create unique index flow_proposals_pending on flow_proposals (account_id, source, source_id) where status = 'pending';
-- A decision is an administrator's.
create trigger audit after update of status on flow_proposals for each row execute function app.audit('flow_proposal', 'proposed_flow');

alter table flow_conversations enable row level security;
alter table flow_conversations force row level security;
create policy own on flow_conversations using (account_id = app.account_id()) with check (account_id = app.account_id());
alter table flow_proposals enable row level security;
alter table flow_proposals force row level security;
create policy reads on flow_proposals for select using (account_id = app.account_id() and app.sees('team', submitted_by, team_id));
create policy adds on flow_proposals for insert with check (account_id = app.account_id());
create policy changes on flow_proposals for update using (account_id = app.account_id()) with check (account_id = app.account_id());

grant select, insert, delete, update (messages, draft, turns) on flow_conversations to app_runtime;
grant select, insert, update (status, decided_by, decided_at, reason) on flow_proposals to app_runtime;
grant select, insert, update, delete on flow_conversations, flow_proposals to app_platform;

-- Whether the caller is one of the platform's staff, who are not held to the quota.
create function app.is_past_ai_quota() returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (select from users u where u.account_id = app.account_id() and u.id = app.user_id() and u.is_super_admin)
$$;
-- How many builds the caller may make in a month; null without a limit.
create function app.ai_builds_limit(a accounts) returns integer language sql stable set search_path = public, pg_temp as $$
  select l.max_ai_builds_per_month from plan_limits l where l.plan = app.plan_of(a) and not app.is_past_ai_quota()
$$;
-- Counts one build, false when there is none left. Callers at once wait for each other at the row, and nobody counts past the limit. What
-- staff build is none of the account's builds.
create function app.count_ai_build() returns boolean language sql set search_path = public, pg_temp as $$
  with m as (select app.quota_period(a) as start, coalesce(app.ai_builds_limit(a), 2147483647) as most, app.is_past_ai_quota() as past
               from accounts a where a.id = app.account_id()),
       counted as (
         insert into quota_counters as q (quota, period_start, used) select 'ai_builds', m.start, 1 from m where m.most > 0 and not m.past
         on conflict (account_id, quota, period_start) do update set used = q.used + 1 where q.used < (select m.most from m)
         returning q.used)
  select exists (select from counted) or exists (select from m where m.past)
$$;
