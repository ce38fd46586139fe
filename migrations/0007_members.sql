-- Members, invites and what an account keeps about itself.
create function app.is_small_object(j jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(j) = 'object' and octet_length(j::text) <= 16384 and (select count(*) <= 64 from jsonb_object_keys(j))
$$;
alter table accounts
  add column settings jsonb not null default '{}' constraint accounts_settings_size check (app.is_small_object(settings)),
  add column preferences jsonb not null default '{}' constraint accounts_preferences_size check (app.is_small_object(preferences));
grant update (settings, preferences) on accounts to app_runtime;

-- The plan that holds now: a trial that ran out leaves the free one.
create function app.plan_of(a accounts) returns text language sql stable parallel safe as $$
  select case when a.subscription_status = 'trialing' and a.trial_ends_at <= app.now() then 'free' else a.plan end
$$;
create function app.subscription_of(a accounts) returns text language sql stable parallel safe as $$
  select case when a.subscription_status = 'trialing' and a.trial_ends_at <= app.now() then 'free' else a.subscription_status end
$$;
create function app.seats_of(a accounts) returns integer language sql stable parallel safe as $$
  select l.max_users from public.plan_limits l where l.plan = app.plan_of(a)
$$;

create table invites (
  id          uuid not null default uuidv7(),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  email       text not null check (length(email) between 3 and 320),
  role        text not null check (role in ('viewer', 'engineer', 'admin')),
  team_id     uuid,
  invited_by  uuid default app.user_id(),
  expires_at  timestamptz(3) not null default app.now() + interval '7 days',
  accepted_at timestamptz(3),
  accepted_by uuid,
  revoked_at  timestamptz(3),
  -- Codes made before this moment are dead: each sending again makes a fresh one.
  codes_since timestamptz(3) not null default app.now(),
  created_at  timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete set null (team_id),
  foreign key (account_id, invited_by) references users (account_id, id),
  foreign key (account_id, accepted_by) references users (account_id, id)
);
create index invites_newest on invites (account_id, created_at desc, id desc);
alter table invites enable row level security;
alter table invites force row level security;
create policy own on invites using (account_id = app.account_id()) with check (account_id = app.account_id());
grant select, insert, update on invites to app_runtime;
grant select, insert, update on invites to app_platform;

-- A code per mail, made when it is sent; only its hash is kept.
create table invite_codes (
  hash       bytea primary key,
  invite_id  uuid not null references invites on delete cascade,
  created_at timestamptz(3) not null default app.now()
);
create index invite_codes_invite on invite_codes (invite_id);
grant select, insert, delete on invite_codes to app_platform;

create function app.is_open(i invites) returns boolean language sql stable parallel safe as $$
  select i.accepted_at is null and i.revoked_at is null and i.expires_at > app.now()
$$;

alter table deliveries
  add column invite_id uuid,
  add foreign key (account_id, invite_id) references invites (account_id, id) on delete cascade,
  drop constraint deliveries_purpose_check,
  add constraint deliveries_purpose_check check (purpose in ('verify_email', 'reset_password', 'invite')),
  drop constraint deliveries_check1,
  add constraint deliveries_subject_check check (
    case when purpose is null then user_id is null and invite_id is null
         when purpose = 'invite' then invite_id is not null
         else user_id is not null end);

-- Never fewer than one active admin, never more people than seats: decided under the account's lock, on what is there by then.
-- (`for update` would deadlock with the share lock that the foreign key of a new row holds.)
create function app.keep_last_admin() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform from accounts where id = old.account_id for no key update;
  if not exists (select from users u where u.account_id = old.account_id and u.role = 'admin' and u.is_active) then
    raise exception 'the last admin' using errcode = 'SF4LA';
  end if;
  return null;
end $$;
create trigger last_admin after update of role, is_active on users for each row
  when (old.role = 'admin' and old.is_active and (new.role <> 'admin' or not new.is_active))
  execute function app.keep_last_admin();

create function app.keep_seats() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  a accounts;
  taken integer;
begin
  select * into a from accounts where id = new.account_id for no key update;
  select count(*) into taken from users u where u.account_id = new.account_id and u.is_active;
  if tg_table_name = 'invites' then
    -- An open invite holds a seat, so that not more are invited than can come.
    select taken + count(*) into taken from invites i where i.account_id = new.account_id and app.is_open(i);
    if exists (select from invites i where i.account_id = new.account_id and lower(i.email) = lower(new.email) and i.id <> new.id and app.is_open(i)) then
      raise exception 'an open invite is there' using errcode = 'SF4IO';
    end if;
  end if;
  if taken > app.seats_of(a) then
    raise exception 'no seat left' using errcode = 'SF4SE';
  end if;
  return null;
end $$;
create trigger seats after insert on users for each row execute function app.keep_seats();
create trigger seats_again after update of is_active on users for each row
  when (new.is_active and not old.is_active) execute function app.keep_seats();
create trigger seats after insert or update of codes_since on invites for each row execute function app.keep_seats();

-- Administrators' writes leave a row; what people do to themselves does not.
create trigger audit after update of name, timezone, settings on accounts for each row execute function app.audit('account');
create trigger audit after insert or update or delete on teams for each row when (app.user_id() is not null) execute function app.audit('team');
create trigger audit after update of role, team_id, team_role, is_active, is_super_admin on users
  for each row execute function app.audit('member');
create trigger audit after insert or update of revoked_at, codes_since on invites for each row execute function app.audit('invite');

-- Members of a team that goes belong to none; whatever else still belongs to it keeps it (foreign_key_violation).
create function app.delete_team(p_id uuid) returns boolean language plpgsql set search_path = public, pg_temp as $$
begin
  perform set_config('app.audit', 'off', true);
  update users set team_id = null, team_role = null where account_id = app.account_id() and team_id = p_id;
  perform set_config('app.audit', '', true);
  delete from teams where account_id = app.account_id() and id = p_id;
  return found;
end $$;
