-- Attempts that are counted before they are checked, reset links that end with the password, and invites that end with their inviter.

-- Counts attempts with a secret by a hash of what was tried, such as the address as it was typed. Replaces login_failures, which only the
-- previous version writes.
create table sign_in_attempts (
  key          bytea primary key,
  attempted_at timestamptz[] not null,
  locked_until timestamptz(3),
  expires_at   timestamptz(3) not null
);
create index sign_in_attempts_expiry on sign_in_attempts (expires_at);
grant select, insert, update, delete on sign_in_attempts to app_platform;

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

-- A device token names this number. Raising it ends every device token of the user.
alter table passwords add column device_generation integer not null default 0;

-- Whatever statement replaces a password ends the user's device tokens, reset links and sign-ins, except the sign-in that app.kept_sign_in
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

-- Stores another hash of the same password, unless the password was replaced meanwhile.
create function app.rehash_password(p_user uuid, p_old text, p_new text) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform set_config('app.rehash', 'on', true);
  update passwords set hash = p_new where user_id = p_user and hash = p_old;
  perform set_config('app.rehash', '', true);
end $$;

-- An invite ends when its inviter is deactivated or is no account admin any more.
create function app.revoke_invites_of_inviter() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update invites set revoked_at = app.now()
   where account_id = new.account_id and invited_by = new.id and accepted_at is null and revoked_at is null;
  return null;
end $$;
create trigger revoke_invites after update of role, is_active on users for each row
  when (old.role = 'admin' and old.is_active and not (new.role = 'admin' and new.is_active))
  execute function app.revoke_invites_of_inviter();

-- Waits for a concurrent change of the inviter, which would not see the new invite.
create function app.require_inviter() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform from users where account_id = new.account_id and id = new.invited_by and role = 'admin' and is_active for share;
  if not found then
    raise exception 'the inviter is no admin' using errcode = 'SF403';
  end if;
  return null;
end $$;
create trigger inviter after insert on invites for each row when (new.invited_by is not null) execute function app.require_inviter();
