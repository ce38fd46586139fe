-- Passwords, signed-in devices and single-use tokens. Only hashes are stored, and only the platform role reads them.
create table passwords (
  user_id    uuid primary key references users on delete cascade,
  hash       text not null,
  changed_at timestamptz(3) not null default app.now()
);

-- One row per sign-in; every access token names its own, so ending it holds on the next request.
create table sign_ins (
  id           uuid not null default uuidv7(),
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  user_id      uuid not null,
  user_agent   text not null default '',
  ip           text not null default '',
  created_at   timestamptz(3) not null default app.now(),
  last_used_at timestamptz(3) not null default app.now(),
  expires_at   timestamptz(3) not null,
  ended_at     timestamptz(3),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index sign_ins_user on sign_ins (account_id, user_id);
alter table sign_ins enable row level security;
alter table sign_ins force row level security;
create policy own on sign_ins using (account_id = app.account_id()) with check (account_id = app.account_id());
grant select on sign_ins to app_runtime;
grant update (ended_at) on sign_ins to app_runtime;

create table refresh_tokens (
  hash       bytea primary key,
  sign_in_id uuid not null references sign_ins on delete cascade,
  used_at    timestamptz(3),
  created_at timestamptz(3) not null default app.now()
);
create index refresh_tokens_sign_in on refresh_tokens (sign_in_id);

create table one_time_tokens (
  hash       bytea primary key,
  user_id    uuid not null references users on delete cascade,
  purpose    text not null check (purpose in ('verify_email', 'reset_password')),
  expires_at timestamptz(3) not null,
  used_at    timestamptz(3),
  created_at timestamptz(3) not null default app.now()
);
create index one_time_tokens_user on one_time_tokens (user_id, purpose);

create table login_failures (
  email        text primary key,
  failed_at    timestamptz[] not null,
  locked_until timestamptz(3)
);
grant select, insert, update, delete on passwords, sign_ins, refresh_tokens, one_time_tokens, login_failures to app_platform;

-- A paid subscription that has not been paid for: its operations are closed but for paying.
create function app.lapsed(a accounts) returns boolean language sql stable parallel safe as $$
  select a.subscription_status in ('unpaid', 'canceled')
    or (a.subscription_status = 'past_due' and a.past_due_since + interval '7 days' < app.now())
$$;

-- The first statement of every scope: whose rows the rest may see, and whether this caller may call at all, decided
-- by what the database says now and not by what the token said when it was signed.
--   p_access    user | engineer | team_admin | account_admin | super_admin
--   p_past      none | guards (open to unverified addresses and lapsed subscriptions) | password (also while a new password is due)
-- Raises SF401 (not signed in any more), SF403 (role), SF4EV, SF4SL, SF4PW (guards).
create function app.enter(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  c record;
begin
  select u.role, u.team_id, u.team_role, u.is_super_admin, u.full_name, u.must_change_password,
         u.email_verified_at is null and u.created_at + interval '72 hours' <= app.now() as unverified,
         app.lapsed(a) as lapsed
    into c
    from public.sign_ins s
    join public.users u on u.account_id = s.account_id and u.id = s.user_id
    join public.accounts a on a.id = u.account_id
   where s.account_id = p_account and s.id = p_sign_in and s.user_id = p_user
     and s.ended_at is null and s.expires_at > app.now() and u.is_active;
  if not found then
    raise exception 'not signed in' using errcode = 'SF401';
  end if;
  if not (case p_access
            when 'user' then true
            when 'engineer' then c.role in ('engineer', 'admin')
            when 'team_admin' then c.role = 'admin' or c.team_role = 'admin'
            when 'account_admin' then c.role = 'admin'
            when 'super_admin' then c.is_super_admin
            else false end) then
    raise exception 'role' using errcode = 'SF403';
  end if;
  if p_past <> 'password' and c.must_change_password then
    raise exception 'password change required' using errcode = 'SF4PW';
  end if;
  if p_past = 'none' and c.unverified then
    raise exception 'email not verified' using errcode = 'SF4EV';
  end if;
  if p_past = 'none' and c.lapsed then
    raise exception 'subscription lapsed' using errcode = 'SF4SL';
  end if;
  perform set_config('app.account_id', p_account::text, true),
          set_config('app.user_id', p_user::text, true),
          set_config('app.role', c.role, true),
          set_config('app.team_id', coalesce(c.team_id::text, ''), true),
          set_config('app.team_role', coalesce(c.team_role, ''), true),
          set_config('app.ip', p_ip, true);
end $$;

-- The scope of work that nobody signed in for: a job, a webhook, the escalation demo. Needs the platform door.
create function app.enter_account(p_account uuid, p_actor uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('app.account_id', p_account::text, true), set_config('app.user_id', coalesce(p_actor::text, ''), true);
end $$;
revoke execute on function app.enter_account(uuid, uuid) from app_runtime;
