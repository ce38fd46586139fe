-- Lists of targets that maintenance flows are run on again and again.
create table target_lists (
  id          uuid not null default uuidv7(),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  team_id     uuid,
  created_by  uuid not null default app.user_id(),
  name        text not null check (length(name) between 1 and 200),
  description text not null default '' check (length(description) <= 20000),
  targets     jsonb not null check (jsonb_typeof(targets) = 'array' and jsonb_array_length(targets) between 1 and 500),
  created_at  timestamptz(3) not null default app.now(),
  updated_at  timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create index target_lists_name on target_lists (account_id, lower(name), id);
alter table target_lists enable row level security;
alter table target_lists force row level security;
create policy reads on target_lists for select using (account_id = app.account_id() and app.sees('team', created_by, team_id));
create policy adds on target_lists for insert with check (account_id = app.account_id());
create policy changes on target_lists for update using (account_id = app.account_id()) with check (account_id = app.account_id());
create policy removes on target_lists for delete using (account_id = app.account_id());
grant select, insert, delete, update (name, description, targets, updated_at) on target_lists to app_runtime;
grant select, insert, update, delete on target_lists to app_platform;
