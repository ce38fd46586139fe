-- Passwords, sign-ins, tokens, identities at Google, Microsoft and the provider of an organisation, and the functions that open a scope.
-- Passwords, tokens and codes are stored as hashes, which only the platform role reads.
create table passwords (
  user_id           uuid primary key references users on delete cascade,
  hash              text not null,
  -- A device token names this number. Raising it ends every device token of the user.
  device_generation integer not null default 0,
  changed_at        timestamptz(3) not null default app.now()
);
call app.delete_with_person('passwords');

-- One row per sign-in. Each access token names its sign-in, so ending the sign-in applies to the next request.
create table sign_ins (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  user_id          uuid not null,
  user_agent       text not null default '',
  ip               text not null default '',
  created_at       timestamptz(3) not null default app.now(),
  last_used_at     timestamptz(3) not null default app.now(),
  expires_at       timestamptz(3) not null,
  ended_at         timestamptz(3),
  -- When a second factor was last verified.
  second_factor_at timestamptz(3),
  -- What was verified first. `delegated`: another sign-in has confirmed it, for a program. Where the provider of the organisation is enforced, a
  -- way without a method is refused.
  method           text check (method in ('password', 'identity', 'passkey', 'sso', 'delegated')),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
-- A user's open sign-ins, and the time when a member was last seen. The last two columns leave out ended sign-ins without reading their rows.
create index sign_ins_user on sign_ins (account_id, user_id, last_used_at desc, id desc, ended_at, expires_at);
create index sign_ins_expiry on sign_ins (expires_at);
call app.protect('sign_ins');
call app.delete_with_person('sign_ins');

create table refresh_tokens (
  hash       bytea primary key,
  sign_in_id uuid not null references sign_ins on delete cascade,
  used_at    timestamptz(3),
  created_at timestamptz(3) not null default app.now()
);
create index refresh_tokens_sign_in on refresh_tokens (sign_in_id);
-- Old tokens are deleted by age.
create index refresh_tokens_age on refresh_tokens (created_at);

-- The address that a user wants to change to. Whoever follows the link that is sent there changes to it; a newer row replaces this one.
create table email_changes (
  user_id    uuid primary key references users on delete cascade,
  id         uuid not null unique default uuidv7(),
  new_email  text not null check (length(new_email) between 3 and 320),
  expires_at timestamptz(3) not null default app.now() + interval '1 hour',
  created_at timestamptz(3) not null default app.now()
);
call app.delete_with_person('email_changes');
create index email_changes_expiry on email_changes (expires_at);

create table one_time_tokens (
  hash            bytea primary key,
  user_id         uuid not null references users on delete cascade,
  purpose         text not null check (purpose in ('verify_email', 'reset_password', 'change_email')),
  -- The change that the token confirms. No foreign key: without its row the token is invalid.
  email_change_id uuid,
  expires_at      timestamptz(3) not null,
  used_at         timestamptz(3),
  created_at      timestamptz(3) not null default app.now(),
  check ((purpose = 'change_email') = (email_change_id is not null))
);
call app.delete_with_person('one_time_tokens');
create index one_time_tokens_user on one_time_tokens (user_id, purpose);
create index one_time_tokens_expiry on one_time_tokens (expires_at);

-- Counts attempts with a secret by a hash of what was tried, such as the address as it was typed.
create table sign_in_attempts (
  key          bytea primary key,
  attempted_at timestamptz[] not null,
  locked_until timestamptz(3),
  expires_at   timestamptz(3) not null
);
create index sign_in_attempts_expiry on sign_in_attempts (expires_at);

-- The key is the id that a provider never assigns to anyone else (Google: sub, Microsoft: tid and oid), not the e-mail address.
create table identities (
  provider   text not null check (provider in ('google', 'microsoft')),
  subject    text not null check (length(subject) between 1 and 512),
  user_id    uuid not null references users on delete cascade,
  created_at timestamptz(3) not null default app.now(),
  primary key (provider, subject),
  unique (user_id, provider)
);
call app.delete_with_person('identities');

-- One row per started OAuth flow. A conditional update uses it once. The state is stored as a hash.
create table oauth_states (
  hash          bytea primary key,
  provider      text not null check (provider in ('google', 'microsoft', 'sso')),
  -- Of the provider of an organisation. No foreign key: a connection that was deleted completes nothing.
  connection_id uuid,
  code_verifier text not null,
  nonce         text not null,
  -- The sign-in that links an identity with this flow; null for a flow that signs in. No foreign key: an ended sign-in completes nothing.
  sign_in_id    uuid,
  expires_at    timestamptz(3) not null default app.now() + interval '10 minutes',
  used_at       timestamptz(3),
  created_at    timestamptz(3) not null default app.now(),
  check ((provider = 'sso') = (connection_id is not null))
);
create index oauth_states_expiry on oauth_states (expires_at);

-- The OpenID provider of an organisation, one per account.
create table sso_connections (
  id                uuid not null default uuidv7(),
  account_id        uuid not null default app.account_id() references accounts on delete cascade,
  issuer            text not null check (length(issuer) between 1 and 2000),
  client_id         text not null check (length(client_id) between 1 and 500),
  -- Encrypted with the service's key; the account's id is authenticated with it.
  client_secret     text not null check (length(client_secret) <= 8000),
  scopes            text[] not null check (cardinality(scopes) between 1 and 20),
  -- Whether its members may, or must, sign in there.
  mode              text not null default 'optional' check (mode in ('optional', 'enforced')),
  -- The role of a new member, and of one in none of the groups.
  default_role      text not null default 'viewer' check (default_role in ('viewer', 'engineer')),
  groups_claim      text not null default 'groups' check (length(groups_claim) between 1 and 200),
  -- The role, and the team if any, of the members of a group. Without any, the provider decides no roles.
  group_roles       jsonb not null default '[]' constraint sso_connections_group_roles
    check (jsonb_typeof(group_roles) = 'array' and jsonb_array_length(group_roles) <= 100 and octet_length(group_roles::text) <= 40000),
  -- When a sign-in last had more groups than the provider puts into a token.
  groups_omitted_at timestamptz(3),
  -- The last test, and the first problem that it found.
  last_checked_at   timestamptz(3),
  last_check_error  text check (length(last_check_error) <= 2000),
  -- SHA-256 of the token with which the provider adds, changes and removes members, and when it was made. Null without one.
  scim_hash         bytea check (octet_length(scim_hash) = 32),
  scim_created_at   timestamptz(3),
  created_at        timestamptz(3) not null default app.now(),
  updated_at        timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id),
  unique (account_id, id),
  check ((scim_hash is null) = (scim_created_at is null))
);
create trigger audit after insert or delete or update of issuer, client_id, client_secret, scopes, mode, default_role, groups_claim, group_roles,
    last_checked_at, scim_hash
  on sso_connections for each row execute function app.audit('sso_connection', 'client_secret', 'scim_hash');

-- Domains of e-mail addresses. One is proved by a TXT record with the token, and then belongs to one account.
create table sso_domains (
  id          uuid not null default uuidv7(),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  domain      text not null check (length(domain) between 3 and 253 and domain = lower(domain)),
  token       text not null check (length(token) between 20 and 100),
  verified_at timestamptz(3),
  created_at  timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  unique (account_id, domain)
);
create unique index sso_domains_verified on sso_domains (domain) where verified_at is not null;
call app.limit_rows('sso_domains', 20);
create trigger audit after insert or update or delete on sso_domains for each row execute function app.audit('sso_domain', 'token');

-- Who a member is at the provider: by the issuer and its `sub`, never by an address. Of one account, so that the provider of another signs in nobody.
create table sso_identities (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  connection_id uuid not null,
  issuer        text not null check (length(issuer) between 1 and 2000),
  subject       text not null check (length(subject) between 1 and 255),
  user_id       uuid not null,
  created_at    timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, issuer, subject),
  unique (account_id, user_id, issuer),
  foreign key (account_id, connection_id) references sso_connections (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index sso_identities_connection on sso_identities (account_id, connection_id);
create trigger audit after insert or delete on sso_identities for each row execute function app.audit('sso_identity', 'subject');
call app.delete_with_person('sso_identities');

call app.protect('sso_connections');
call app.protect('sso_domains');
call app.protect('sso_identities');
grant select, insert, update, delete on sso_connections, sso_domains to app_runtime;
grant select, delete on sso_identities to app_runtime;
grant select, insert, update, delete on sso_connections, sso_domains, sso_identities to app_platform;

-- Whether a member must sign in at the provider of the organisation: one who has an address of a proved domain, or an identity there.
create function app.needs_sso(u users) returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (
    select from sso_connections c where c.account_id = u.account_id and c.mode = 'enforced'
       and (exists (select from sso_domains d where d.account_id = u.account_id and d.verified_at is not null
                       and d.domain = substring(lower(u.email) from '@([^@]+)$'))
            or exists (select from sso_identities i where i.account_id = u.account_id and i.connection_id = c.id and i.user_id = u.id)))
$$;
-- Whether a way of signing in is open to a user. An admin keeps the password with a second factor, for when the provider is away.
create function app.admits_sign_in(u users, p_method text, p_has_second_factor boolean) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce(p_method in ('sso', 'delegated'), false)
    or coalesce(u.role = 'admin' and p_method = 'password' and p_has_second_factor, false)
    or not app.needs_sso(u)
$$;
-- No statement signs in a user past the provider that the organisation enforces. An admin who does is in the audit log, and the other admins are told.
create function app.require_sso() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  u users;
begin
  select * into u from users where account_id = new.account_id and id = new.user_id;
  if not app.admits_sign_in(u, new.method, new.second_factor_at is not null) then
    raise exception 'the provider of the organisation is enforced' using errcode = 'SF4SO';
  end if;
  if new.method = 'password' and app.needs_sso(u) then
    insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, ip)
    values (u.account_id, u.id, 'sign_in.without_sso', 'user', u.id, new.ip);
    -- The sweep sends them.
    insert into deliveries (account_id, channel, recipient, purpose, user_id)
    select a.account_id, 'email', a.email, 'sign_in_without_sso', a.id from users a
     where a.account_id = u.account_id and a.role = 'admin' and a.is_active and a.email_verified_at is not null and a.id <> u.id;
  end if;
  return new;
end $$;
create trigger sso before insert on sign_ins for each row execute function app.require_sso();
-- What begins to be enforced ends the sign-ins that it would refuse.
create function app.end_sign_ins_without_sso() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update sign_ins s set ended_at = app.now() from users u
   where u.account_id = new.account_id and s.account_id = u.account_id and s.user_id = u.id and s.ended_at is null
     and (tg_table_name <> 'users' or u.id = new.id) and not app.admits_sign_in(u, s.method, s.second_factor_at is not null);
  return null;
end $$;
create trigger end_sign_ins after insert or update of mode on sso_connections for each row
  when (new.mode = 'enforced') execute function app.end_sign_ins_without_sso();
create trigger end_sign_ins after insert or update of verified_at on sso_domains for each row
  when (new.verified_at is not null) execute function app.end_sign_ins_without_sso();
create trigger end_sign_ins_without_sso after update of role, email on users for each row
  when (old.role <> new.role or old.email <> new.email) execute function app.end_sign_ins_without_sso();

grant select, update (ended_at) on sign_ins to app_runtime;
grant select, insert, update, delete on passwords, sign_ins, refresh_tokens, email_changes, one_time_tokens, sign_in_attempts, identities, oauth_states
  to app_platform;

-- The key of the attempts for an address or another name. `p_kind` separates what is counted.
create function app.attempt_key(p_kind text, p_name text) returns bytea language sql immutable parallel safe as $$
  select sha256(convert_to(p_kind || ':' || lower(p_name), 'UTF8'))
$$;

-- Counts one attempt before it is checked. The attempt number p_max within 15 minutes locks the key for 15 minutes. While it is locked,
-- attempts are refused and do not count: lock_seconds is then the remaining time. Concurrent attempts wait for one another's row, so at
-- most p_max are allowed. The caller deletes the row when the attempt succeeds.
create function app.count_attempt(p_key bytea, p_max integer, out lock_seconds integer, out is_last boolean)
language plpgsql set search_path = public, pg_temp as $$
declare
  period constant interval := '15 minutes';
begin
  insert into sign_in_attempts as a (key, attempted_at, locked_until, expires_at)
  values (p_key, array[app.now()], case when p_max <= 1 then app.now() + period end, app.now() + period)
  on conflict (key) do update set
    attempted_at = (select array_agg(t) from unnest(a.attempted_at || app.now()) t where t > app.now() - period),
    locked_until = case when (select count(*) from unnest(a.attempted_at) t where t > app.now() - period) + 1 >= p_max
                        then app.now() + period end,
    expires_at = app.now() + period
   where a.locked_until is null or a.locked_until <= app.now()
  returning a.locked_until is not null into is_last;
  if is_last is null then
    is_last := false;
    select greatest(1, ceil(extract(epoch from a.locked_until - app.now())))::integer into lock_seconds from sign_in_attempts a where a.key = p_key;
  end if;
end $$;

-- Whatever statement replaces a password ends the user's device tokens, reset links, change of address and sign-ins, except the sign-in that app.kept_sign_in
-- names. A reset mail that was not sent yet is withdrawn, because its link would be new. A new hash of the same password ends nothing:
-- app.rehash_password stores it. Triggers see what other transactions have committed since the statement began, such as a sign-in with the
-- old password.
create function app.is_rehash() returns boolean language sql stable parallel safe as $$
  select coalesce(current_setting('app.rehash', true), '') = 'on'
$$;
create function app.end_device_tokens() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  new.device_generation := old.device_generation + 1;
  return new;
end $$;
create trigger end_device_tokens before update of hash on passwords for each row
  when (new.hash <> old.hash and not app.is_rehash()) execute function app.end_device_tokens();
create function app.end_password_uses() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'UPDATE' and new.hash = old.hash then
    return null;
  end if;
  update one_time_tokens set used_at = app.now()
   where user_id = new.user_id and purpose = 'reset_password' and used_at is null;
  delete from deliveries where user_id = new.user_id and purpose = 'reset_password' and state in ('pending', 'retrying');
  delete from email_changes where user_id = new.user_id;
  -- The statement that inserts the first password may also insert the first sign-in.
  if tg_op = 'UPDATE' then
    update sign_ins s set ended_at = app.now() from users u
     where u.id = new.user_id and s.account_id = u.account_id and s.user_id = u.id and s.ended_at is null
       and s.id is distinct from nullif(current_setting('app.kept_sign_in', true), '')::uuid;
  end if;
  return null;
end $$;
create trigger end_password_uses after insert or update of hash on passwords for each row
  when (not app.is_rehash()) execute function app.end_password_uses();

-- Whatever statement changes an address ends the links that were sent, or are being sent, to the old one. A notification that was not sent yet
-- goes to the new one, unless the provider may have accepted it already.
create function app.end_address_uses() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update one_time_tokens set used_at = app.now() where user_id = new.id and used_at is null;
  delete from deliveries
   where account_id = new.account_id and user_id = new.id and purpose in ('verify_email', 'reset_password') and state in ('pending', 'retrying');
  update deliveries set recipient = new.email
   where account_id = new.account_id and lower(recipient) = lower(old.email) and state in ('pending', 'retrying') and batch_key is null
     and (purpose is null or purpose in ('digest', 'weekly_report', 'export_ready', 'export_failed'));
  return null;
end $$;
create trigger end_address_uses after update of email on users for each row
  when (new.email <> old.email) execute function app.end_address_uses();

-- Stores another hash of the same password, unless the password was replaced meanwhile.
create function app.rehash_password(p_user uuid, p_old text, p_new text) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform set_config('app.rehash', 'on', true);
  update passwords set hash = p_new where user_id = p_user and hash = p_old;
  perform set_config('app.rehash', '', true);
end $$;

-- Raises an error when policies do not apply to who connects: everybody would see the rows of every account. The platform role, which bypasses
-- them by design, enters only for super admins. The service checks its connections too, once per process.
create function app.require_policies(p_is_staff boolean) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  -- Inside a security definer function `current_user` is the owner.
  connected constant text := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
  if connected <> 'app_runtime' and (connected <> 'app_platform' or not p_is_staff)
     and (select r.rolbypassrls or r.rolsuper from pg_roles r where r.rolname = connected) then
    raise exception 'the connection of % bypasses row level security', connected using errcode = 'invalid_authorization_specification',
      hint = 'DATABASE_URL must be the connection string of app_runtime.';
  end if;
end $$;

-- The first statement of every scope. It checks the caller against the current rows, not against the claims of the token, and sets whose
-- rows the following statements see.
--   p_access    user | engineer | team_admin | account_admin | account_or_super_admin | super_admin; the last two with `_mfa` appended where
--               super admins must have a second factor
--   p_past      the guards to skip: none | guards (verified address, subscription) | mfa (these, and the second factor) |
--               password (these, and the due password change); verified skips none, and leaves no time to verify the address
-- Raises SF401 (not signed in), SF403 (role), SF4PW, SF4EV, SF4SL, SF4MF (guards).
create function app.enter(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- Variables of a type: reading the fields of a record takes a third of the function's time.
  v_role text;
  v_team uuid;
  v_team_role text;
  is_super_admin boolean;
  must_change_password boolean;
  is_unverified boolean;
  is_verified boolean;
  is_lapsed boolean;
  is_mfa_missing boolean;
  is_mfa_required boolean;
begin
  perform app.require_policies(p_access like '%super\_admin%');
  select u.role, u.team_id, u.team_role, u.is_super_admin, u.must_change_password, app.is_verification_overdue(u), u.email_verified_at is not null, app.lapsed(a),
         not u.has_second_factor, a.require_mfa
    into v_role, v_team, v_team_role, is_super_admin, must_change_password, is_unverified, is_verified, is_lapsed,
         is_mfa_missing, is_mfa_required
    from public.sign_ins s
    join public.users u on u.account_id = s.account_id and u.id = s.user_id
    join public.accounts a on a.id = u.account_id
   where s.account_id = p_account and s.id = p_sign_in and s.user_id = p_user
     and s.ended_at is null and s.expires_at > app.now() and u.is_active and a.erasing_at is null;
  if not found then
    -- A key has no sign-in. Functions that call this one run after app.enter_key in the same transaction.
    if p_sign_in = p_user and app.is_key_admitted(p_account, p_user) then
      return;
    end if;
    raise exception 'not signed in' using errcode = 'SF401';
  end if;
  if not (case p_access
            when 'user' then true
            when 'engineer' then v_role in ('engineer', 'admin')
            when 'team_admin' then v_role = 'admin' or coalesce(v_team_role = 'admin', false)
            when 'account_admin' then v_role = 'admin'
            when 'account_or_super_admin' then v_role = 'admin' or is_super_admin
            when 'account_or_super_admin_mfa' then v_role = 'admin' or is_super_admin
            when 'super_admin' then is_super_admin
            when 'super_admin_mfa' then is_super_admin
            else false end) then
    raise exception 'role' using errcode = 'SF403';
  end if;
  if p_past is null or p_past not in ('verified', 'none', 'guards', 'mfa', 'password') then
    raise exception 'unknown guards to skip' using errcode = 'invalid_parameter_value';
  end if;
  if p_past <> 'password' and must_change_password then
    raise exception 'password change required' using errcode = 'SF4PW';
  end if;
  if (p_past = 'none' and is_unverified) or (p_past = 'verified' and not is_verified) then
    raise exception 'email not verified' using errcode = 'SF4EV';
  end if;
  if p_past in ('none', 'verified') and is_lapsed then
    raise exception 'subscription lapsed' using errcode = 'SF4SL';
  end if;
  if is_mfa_missing and p_past in ('verified', 'none', 'guards')
     and (is_mfa_required or (is_super_admin and p_access in ('super_admin_mfa', 'account_or_super_admin_mfa'))) then
    raise exception 'second factor required' using errcode = 'SF4MF';
  end if;
  perform app.set_scope(p_account, p_user, v_role, v_team, v_team_role, p_ip);
end $$;

-- app.enter for an operation of a feature. Raises SF4FD if the account does not have the feature.
create function app.enter_feature(
  p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text, p_feature text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  if not app.feature_on(p_account, p_feature) then
    raise exception 'feature disabled' using errcode = 'SF4FD';
  end if;
end $$;

-- Opens the scope of an account for work without a signed-in user: jobs and webhooks. Only the platform role may.
create function app.enter_account(p_account uuid, p_actor uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select app.set_scope(p_account, p_actor, null, null, null, null)
$$;
revoke execute on function app.enter_account(uuid, uuid) from app_runtime;
-- Adds a team to the scope of an account, and returns it.
create function app.enter_team(p_team uuid) returns uuid language sql security definer set search_path = pg_catalog, pg_temp as $$
  select app.require_scope();
  select app.set_scope(app.account_id(), app.user_id(), null, p_team, null, null);
  select p_team
$$;
revoke execute on function app.enter_team(uuid) from app_runtime;

-- Returns those of the sign-ins and API keys that would still be admitted. `p_users` and `p_sign_ins` are parallel arrays.
create function app.still_let_in(p_account uuid, p_users uuid[], p_sign_ins uuid[], p_access text, p_feature text) returns setof uuid
language plpgsql set search_path = public, pg_temp as $$
begin
  for n in 1 .. cardinality(p_users) loop
    begin
      perform app.enter_feature(p_users[n], p_account, p_sign_ins[n], p_access, 'none', '', p_feature);
      return next p_sign_ins[n];
    exception when sqlstate 'SF401' or sqlstate 'SF403' or sqlstate 'SF4PW' or sqlstate 'SF4EV' or sqlstate 'SF4SL' or sqlstate 'SF4FD'
      or sqlstate 'SF4MF' then
      if app.still_admits_key(p_account, p_users[n], p_access, p_feature) then
        return next p_sign_ins[n];
      end if;
    end;
  end loop;
end $$;
