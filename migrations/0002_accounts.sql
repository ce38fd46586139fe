-- Accounts, their teams and their people. Subscription state lives on the account: every request reads it.
create table plan_limits (
  plan      text primary key check (plan ~ '^[a-z][a-z0-9_]{0,39}$'),
  max_users integer check (max_users > 0)
);
insert into plan_limits (plan, max_users) values ('free', 3), ('pro', 10), ('team', 50), ('enterprise', null);
grant select on plan_limits to app_runtime;
grant select, insert, update, delete on plan_limits to app_platform;

create table accounts (
  id                  uuid primary key default uuidv7(),
  name                text not null check (length(name) between 1 and 200),
  timezone            text not null default 'UTC',
  plan                text not null references plan_limits,
  subscription_status text not null check (subscription_status in ('trialing', 'free', 'active', 'past_due', 'unpaid', 'canceled')),
  trial_ends_at       timestamptz(3),
  past_due_since      timestamptz(3),
  created_at          timestamptz(3) not null default app.now()
);
insert into accounts (id, name, plan, subscription_status) values (app.platform_account(), 'Platform', 'enterprise', 'active');

create table teams (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  name       text not null check (length(name) between 1 and 200),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id)
);

create table users (
  id                   uuid primary key default uuidv7(),
  account_id           uuid not null default app.account_id() references accounts on delete cascade,
  email                text not null check (length(email) between 3 and 320),
  full_name            text not null check (length(full_name) between 1 and 200),
  role                 text not null check (role in ('viewer', 'engineer', 'admin')),
  team_id              uuid,
  team_role            text check (team_role in ('member', 'admin')),
  is_super_admin       boolean not null default false,
  is_active            boolean not null default true,
  email_verified_at    timestamptz(3),
  must_change_password boolean not null default false,
  timezone             text not null default 'UTC',
  created_at           timestamptz(3) not null default app.now(),
  last_login_at        timestamptz(3),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  check ((team_id is null) = (team_role is null))
);
-- The one index of a tenant table that does not begin with its account: an address signs in before the account is known.
create unique index users_email on users (lower(email));
create index users_team on users (account_id, team_id);

alter table accounts enable row level security;
alter table accounts force row level security;
create policy own on accounts using (id = app.account_id()) with check (id = app.account_id());
alter table teams enable row level security;
alter table teams force row level security;
create policy own on teams using (account_id = app.account_id()) with check (account_id = app.account_id());
alter table users enable row level security;
alter table users force row level security;
create policy own on users using (account_id = app.account_id()) with check (account_id = app.account_id());

grant select on accounts, teams, users to app_runtime;
grant update (name, timezone) on accounts to app_runtime;
grant insert, update, delete on teams to app_runtime;
grant update (full_name, timezone, role, team_id, team_role, is_active) on users to app_runtime;
grant select, insert, update, delete on accounts, teams, users to app_platform;
