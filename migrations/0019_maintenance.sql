-- Maintenance flows: lists of targets, schedules that run a flow on such a list, and the runs.
create table target_lists (
  id          uuid not null default uuidv7(),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  team_id     uuid,
  created_by  uuid not null default app.user_id(),
  name        text not null check (length(name) between 1 and 200),
  description text not null default '' check (length(description) <= 20000),
  targets     jsonb not null check (jsonb_typeof(targets) = 'array' and jsonb_array_length(targets) between 1 and 500),
  -- A change that is based on an older version is refused.
  version     integer not null default 1,
  created_at  timestamptz(3) not null default app.now(),
  updated_at  timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create index target_lists_name on target_lists (account_id, name collate "und-x-icu", id);

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
  -- The ticket that the schedule works for. The schedule is paused when the ticket is closed.
  ticket_number  text constraint maintenance_schedules_ticket check (length(ticket_number) between 1 and 200),
  is_active      boolean not null,
  -- The first due time without a run; null while the schedule is paused.
  next_run_at    timestamptz(3),
  -- When cron or timezone last changed. An older due time belongs to the previous values.
  timed_since    timestamptz(3) not null default app.now(),
  -- Incremented with next_run_at, so that a value computed from an older row is not stored.
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
create index maintenance_schedules_name on maintenance_schedules (account_id, name collate "und-x-icu", id);
create index maintenance_schedules_tree on maintenance_schedules (account_id, tree_id);
create index maintenance_schedules_list on maintenance_schedules (account_id, target_list_id);
create index maintenance_schedules_due on maintenance_schedules (next_run_at, id) where next_run_at is not null;
create index maintenance_schedules_ticket_number on maintenance_schedules (account_id, ticket_number) where ticket_number is not null;

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
  -- Null for a missed run.
  started_at    timestamptz(3),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, schedule_id) references maintenance_schedules (account_id, id) on delete cascade,
  check ((status = 'created') = (error is null) and (status = 'created') = (cardinality(batch_ids) > 0)),
  check ((status = 'missed') = (started_at is null))
);
-- A due time has at most one scheduled run, however often the job runs.
create unique index maintenance_runs_once on maintenance_runs (account_id, schedule_id, due_at) where trigger = 'scheduled';
create index maintenance_runs_newest on maintenance_runs (account_id, schedule_id, due_at desc, id desc);
-- For the clean-up, which deletes by age in every account.
create index maintenance_runs_age on maintenance_runs (due_at);

call app.protect('target_lists', writes => '{insert,update,delete}');
create policy reads on target_lists for select using (account_id = (select app.signed_account_id()) and app.sees('team', created_by, team_id));
create trigger remove_notifications after delete on maintenance_schedules for each row execute function app.remove_notifications('/maintenance/');
call app.protect('maintenance_schedules', writes => '{insert,update,delete}');
create policy reads on maintenance_schedules for select using (account_id = (select app.signed_account_id()) and app.sees('team', created_by, team_id));
call app.protect('maintenance_runs');

grant select, insert, delete, update (name, description, targets, version, updated_at) on target_lists to app_runtime;
grant select, insert, delete, update (name, cron, timezone, ticket_number, target_list_id, is_active, created_by, next_run_at, timed_since, version, updated_at)
  on maintenance_schedules to app_runtime;
grant select, insert on maintenance_runs to app_runtime;
grant select, insert, update, delete on target_lists, maintenance_schedules, maintenance_runs to app_platform;
