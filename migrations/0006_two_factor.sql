-- Two-factor sign-in: codes of an authenticator app (TOTP), recovery codes and passkeys.
-- `app.enter` reads accounts.require_mfa and users.has_second_factor; the triggers below maintain the latter.
create table totp_factors (
  user_id      uuid primary key references users on delete cascade,
  -- Encrypted with CREDENTIALS_KEY.
  secret       text not null,
  confirmed_at timestamptz(3),
  -- The time step of the last code. A code of this step or an earlier one was used or is too old.
  last_step    bigint,
  created_at   timestamptz(3) not null default app.now()
);
call app.delete_with_person('totp_factors');

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  hash    bytea not null,
  used_at timestamptz(3),
  primary key (user_id, hash)
);
call app.delete_with_person('recovery_codes');

create table passkeys (
  id            uuid primary key default uuidv7(),
  user_id       uuid not null references users on delete cascade,
  name          text not null check (length(name) between 1 and 200),
  -- The id that the authenticator chose, in base64url.
  credential_id text not null unique check (length(credential_id) <= 1400),
  -- COSE key, in base64url.
  public_key    text not null check (length(public_key) <= 8192),
  -- The authenticator's count of signatures; 0 if it does not count.
  counter       bigint not null,
  transports    text[] not null default '{}',
  created_at    timestamptz(3) not null default app.now(),
  last_used_at  timestamptz(3)
);
call app.delete_with_person('passkeys');
create index passkeys_user on passkeys (user_id, created_at desc, id desc);

-- A sign-in whose first factor was verified and whose second one is awaited. Its token is stored as a hash and used once: the row is deleted.
create table sign_in_challenges (
  hash        bytea primary key,
  user_id     uuid not null references users on delete cascade,
  -- The known device whose attempt it was, if any.
  device_id   uuid,
  -- Whether the first factor was the password, or an identity at the provider of the organisation.
  is_password boolean not null,
  is_sso      boolean not null default false check (not (is_sso and is_password)),
  expires_at  timestamptz(3) not null default app.now() + interval '5 minutes'
);
call app.delete_with_person('sign_in_challenges');
-- How the sign-in of a challenge begins.
create function app.method_of(c sign_in_challenges) returns text language sql immutable parallel safe as $$
  select case when c.is_password then 'password' when c.is_sso then 'sso' else 'identity' end
$$;
-- What would be refused with its second factor is refused before.
create function app.require_sso_before_challenge() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from users u
              where u.id = new.user_id and not app.admits_sign_in(u, app.method_of(new), true)) then
    raise exception 'the provider of the organisation is enforced' using errcode = 'SF4SO';
  end if;
  return new;
end $$;
create trigger sso before insert on sign_in_challenges for each row execute function app.require_sso_before_challenge();
create index sign_in_challenges_user on sign_in_challenges (user_id);
create index sign_in_challenges_expiry on sign_in_challenges (expires_at);

-- Random values that an authenticator signs, stored as hashes. Used once: the row is deleted. A registration names its user.
create table passkey_challenges (
  hash       bytea primary key,
  user_id    uuid references users on delete cascade,
  expires_at timestamptz(3) not null default app.now() + interval '5 minutes'
);
call app.delete_with_person('passkey_challenges');
create index passkey_challenges_expiry on passkey_challenges (expires_at);
-- For the foreign key, whose check would read the whole table when a row of the other one is deleted.
create index passkey_challenges_user on passkey_challenges (user_id);
grant select, insert, update, delete on totp_factors, recovery_codes, passkeys, sign_in_challenges, passkey_challenges to app_platform;

-- The user is locked, so that two changes at the same time see each other.
create function app.update_has_second_factor() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  changed_user constant uuid := case when tg_op = 'DELETE' then old.user_id else new.user_id end;
begin
  perform from users where id = changed_user for no key update;
  update users u set has_second_factor = not u.has_second_factor
   where u.id = changed_user
     and u.has_second_factor <> (exists (select from totp_factors f where f.user_id = changed_user and f.confirmed_at is not null)
                                 or exists (select from passkeys p where p.user_id = changed_user));
  return null;
end $$;
create trigger second_factor after insert or delete or update of confirmed_at on totp_factors
  for each row execute function app.update_has_second_factor();
create trigger second_factor after insert or delete on passkeys for each row execute function app.update_has_second_factor();

-- The first factor ends the sign-ins without one. The last factor takes the recovery codes and waiting sign-ins with it.
create function app.apply_second_factor() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if new.has_second_factor then
    update sign_ins set ended_at = app.now()
     where account_id = new.account_id and user_id = new.id and ended_at is null and second_factor_at is null;
  else
    update sign_ins set second_factor_at = null where account_id = new.account_id and user_id = new.id and second_factor_at is not null;
    delete from recovery_codes where user_id = new.id;
    delete from sign_in_challenges where user_id = new.id;
  end if;
  return null;
end $$;
create trigger second_factor after update of has_second_factor on users for each row
  when (old.has_second_factor <> new.has_second_factor) execute function app.apply_second_factor();

-- No statement signs in a user with a second factor without verifying it.
create function app.require_second_factor() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from users u where u.account_id = new.account_id and u.id = new.user_id and u.has_second_factor) then
    raise exception 'second factor required' using errcode = 'SF401';
  end if;
  return new;
end $$;
create trigger second_factor before insert on sign_ins for each row
  when (new.second_factor_at is null) execute function app.require_second_factor();

create function app.end_sign_in_challenges() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from sign_in_challenges where user_id = new.user_id;
  return null;
end $$;
create trigger end_sign_in_challenges after update of hash on passwords for each row
  when (new.hash <> old.hash and not app.is_rehash()) execute function app.end_sign_in_challenges();

-- Returns whether a user can sign in without an identity at `p_provider`, or without a passkey. One of the two is null. A caller who deletes
-- it locks the user first, so that two deletions at the same time see each other.
create function app.has_other_sign_in(p_user uuid, p_provider text, p_passkey uuid) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from passwords where user_id = p_user)
      or exists (select from identities where user_id = p_user and provider is distinct from p_provider)
      or exists (select from passkeys where user_id = p_user and id is distinct from p_passkey)
      or exists (select from sso_identities where user_id = p_user)
$$;

-- Inserts the audit entry of a change to how a user signs in or is reached and, with a purpose, the e-mail to the user's present address. Returns its
-- delivery.
create function app.record_factor_change(p_user uuid, p_actor uuid, p_action text, p_ip text, p_purpose text) returns uuid
language plpgsql set search_path = public, pg_temp as $$
declare
  delivery uuid;
begin
  insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, ip)
  select account_id, p_actor, p_action, 'user', id, p_ip from users where id = p_user;
  if p_purpose is not null then
    insert into deliveries (account_id, channel, recipient, purpose, user_id)
    select account_id, 'email', email, p_purpose, id from users where id = p_user returning id into delivery;
  end if;
  return delivery;
end $$;

-- app.enter for an operation that needs a fresh second factor. Raises SF4SU if the caller has a second factor that was last verified more
-- than 10 minutes ago in this sign-in. `p_feature` may be null.
create function app.enter_with_step_up(
  p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text, p_feature text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  if p_feature is not null and not app.feature_on(p_account, p_feature) then
    raise exception 'feature disabled' using errcode = 'SF4FD';
  end if;
  if exists (select from public.users u join public.sign_ins s on s.account_id = u.account_id and s.user_id = u.id
              where u.account_id = p_account and u.id = p_user and s.id = p_sign_in and u.has_second_factor
                and (s.second_factor_at is null or s.second_factor_at <= app.now() - interval '10 minutes')) then
    raise exception 'step-up required' using errcode = 'SF4SU';
  end if;
end $$;
