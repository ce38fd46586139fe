-- Schedules that run a maintenance flow on a list of targets, and what came of each time they were due.
create table maintenance_schedules (
  id             uuid not null default uuidv7(),
  account_id     uuid not null default app.account_id() references accounts on delete cascade,
  team_id        uuid not null default app.team_id(),
  created_by     uuid not null default app.user_id(),
  tree_id        uuid not null,
  target_list_id uuid not null,
  name           text not null check (length(name) between 1 and 200),
  cron           text not null check (length(cron) between 9 and 200),
  timezone       text not null check (length(timezone) between 1 and 100),
  is_active      boolean not null,
  -- The first due time that nothing was recorded for; null while it is paused.
  next_run_at    timestamptz(3),
  -- Since when cron and zone are what they are: an older due time that still waits is not theirs.
  timed_since    timestamptz(3) not null default app.now(),
  -- Counts what changes next_run_at, so that one computed from an older row is not stored.
  version        integer not null default 1,
  created_at     timestamptz(3) not null default app.now(),
  updated_at     timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, tree_id) references trees (account_id, id),
  foreign key (account_id, target_list_id) references target_lists (account_id, id),
  check (is_active = (next_run_at is not null))
);
create index maintenance_schedules_name on maintenance_schedules (account_id, lower(name), id);
create index maintenance_schedules_tree on maintenance_schedules (account_id, tree_id);
create index maintenance_schedules_list on maintenance_schedules (account_id, target_list_id);
create index maintenance_schedules_due on maintenance_schedules (next_run_at, id) where next_run_at is not null;

create table maintenance_runs (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  schedule_id   uuid not null,
  due_at        timestamptz(3) not null,
  trigger       text not null check (trigger in ('scheduled', 'manual')),
  status        text not null check (status in ('created', 'failed', 'missed')),
  error         text check (length(error) <= 2000),
  batch_ids     uuid[] not null default '{}',
  session_count integer not null default 0,
  -- Null for one that nobody tried.
  started_at    timestamptz(3),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, schedule_id) references maintenance_schedules (account_id, id) on delete cascade,
  check ((status = 'created') = (error is null) and (status = 'created') = (cardinality(batch_ids) > 0)),
  check ((status = 'missed') = (started_at is null))
);
-- However many ticks there are, a due time is recorded once.
create unique index maintenance_runs_once on maintenance_runs (account_id, schedule_id, due_at) where trigger = 'scheduled';
create index maintenance_runs_newest on maintenance_runs (account_id, schedule_id, due_at desc, id desc);

alter table maintenance_schedules enable row level security;
alter table maintenance_schedules force row level security;
create policy reads on maintenance_schedules for select using (account_id = app.account_id() and app.sees('team', created_by, team_id));
create policy adds on maintenance_schedules for insert with check (account_id = app.account_id());
create policy changes on maintenance_schedules for update using (account_id = app.account_id()) with check (account_id = app.account_id());
create policy removes on maintenance_schedules for delete using (account_id = app.account_id());
alter table maintenance_runs enable row level security;
alter table maintenance_runs force row level security;
create policy own on maintenance_runs using (account_id = app.account_id()) with check (account_id = app.account_id());

grant select, insert, delete, update (name, cron, timezone, target_list_id, is_active, next_run_at, timed_since, version, updated_at)
  on maintenance_schedules to app_runtime;
grant select, insert on maintenance_runs to app_runtime;
grant select, insert, update, delete on maintenance_schedules, maintenance_runs to app_platform;
