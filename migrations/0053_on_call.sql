-- On-call schedules: who is on call when, by rotations and overrides.

-- Whether the caller may change what belongs to a team, or to the whole account if `p_team` is null.
create function app.administers(p_team uuid) returns boolean language sql stable parallel safe as $$
  select coalesce(app.role() = 'admin', false) or (coalesce(p_team = app.team_id(), false) and coalesce(app.team_role() = 'admin', false))
$$;

create table on_call_schedules (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  -- Null for the whole account.
  team_id    uuid,
  name       text not null check (length(name) between 1 and 200),
  timezone   text not null check (length(timezone) between 1 and 100),
  -- Sorted by their first day; each applies until the next one begins. `lib/rules/oncall/schema.ts` has their shape.
  rotations  jsonb not null check (jsonb_typeof(rotations) = 'array' and jsonb_array_length(rotations) <= 10),
  version    integer not null default 1,
  created_by uuid not null default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  updated_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create index on_call_schedules_name on on_call_schedules (account_id, name collate "und-x-icu", id);
create index on_call_schedules_team on on_call_schedules (account_id, team_id);
create index on_call_schedules_creator on on_call_schedules (account_id, created_by);
create trigger audit after insert or update or delete on on_call_schedules for each row execute function app.audit('on_call_schedule');

create table on_call_overrides (
  id          uuid not null default uuidv7(),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  schedule_id uuid not null,
  user_id     uuid not null,
  starts_at   timestamptz(3) not null,
  ends_at     timestamptz(3) not null,
  created_by  uuid not null default app.user_id(),
  created_at  timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, schedule_id) references on_call_schedules (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  check (starts_at < ends_at)
);
create index on_call_overrides_schedule on on_call_overrides (account_id, schedule_id, ends_at);
create index on_call_overrides_user on on_call_overrides (account_id, user_id);
create index on_call_overrides_creator on on_call_overrides (account_id, created_by);
-- For the clean-up, which deletes by age in every account.
create index on_call_overrides_age on on_call_overrides (ends_at);
create trigger audit after insert or delete on on_call_overrides for each row execute function app.audit('on_call_override');

-- Raise SF4LR for the 51st schedule of an account, and for the 501st override of a schedule. The lock makes both limits exact.
create function app.keep_on_call_limits() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  used bigint;
  most constant bigint := case tg_table_name when 'on_call_schedules' then 50 else 500 end;
begin
  perform app.lock_usage(new.account_id);
  if tg_table_name = 'on_call_schedules' then
    select count(*) into used from on_call_schedules s where s.account_id = new.account_id;
  else
    select count(*) into used from on_call_overrides o where o.account_id = new.account_id and o.schedule_id = new.schedule_id;
  end if;
  if used > most then
    perform app.raise_limit_reached(
      case tg_table_name when 'on_call_schedules' then 'on_call_schedules' else 'overrides_per_schedule' end, used - 1, most);
  end if;
  return null;
end $$;
create trigger quota after insert on on_call_schedules for each row execute function app.keep_on_call_limits();
create trigger quota after insert on on_call_overrides for each row execute function app.keep_on_call_limits();

call app.protect('on_call_schedules');
call app.protect('on_call_overrides');
grant select, insert, delete, update (team_id, name, timezone, rotations, version, updated_at) on on_call_schedules to app_runtime;
grant select, insert, delete on on_call_overrides to app_runtime;
grant select, insert, update, delete on on_call_schedules, on_call_overrides to app_platform;
