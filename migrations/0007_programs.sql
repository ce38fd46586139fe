-- Programs that act for people. An API key acts as a user of its own, so that rows which it creates have an author, and audit entries name it.
-- This user is never active: it takes no seat, cannot sign in, receives nothing and does not count as an admin.
create table api_keys (
  -- Also the id of its user, who has the name, the role and the team.
  id              uuid not null,
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  -- SHA-256 of the whole key. It needs no salt and no slow function, because 256 of its bits are random.
  hash            bytea not null check (octet_length(hash) = 32),
  last_characters text not null check (length(last_characters) = 4),
  scopes          text[] not null check (cardinality(scopes) between 1 and 50),
  -- CIDR ranges, checked when they are stored. Empty for any address.
  allowed_ranges  text[] not null default '{}' check (cardinality(allowed_ranges) <= 20),
  created_by      uuid not null default app.user_id(),
  expires_at      timestamptz(3),
  revoked_at      timestamptz(3),
  created_at      timestamptz(3) not null default app.now(),
  last_used_at    timestamptz(3),
  last_ip         text,
  last_user_agent text,
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, id) references users (account_id, id) on delete cascade,
  foreign key (account_id, created_by) references users (account_id, id)
);
create index api_keys_newest on api_keys (account_id, created_at desc, id desc) where revoked_at is null;
create index api_keys_creator on api_keys (account_id, created_by);
call app.protect('api_keys');
-- Without the hash, which is compared by app.enter_key.
grant select (id, account_id, last_characters, scopes, allowed_ranges, created_by, expires_at, revoked_at, created_at, last_used_at, last_ip,
              last_user_agent), update (revoked_at) on api_keys to app_runtime;
grant select, insert, update, delete on api_keys to app_platform;
create trigger audit after insert or update of revoked_at on api_keys for each row execute function app.audit('api_key', 'hash');

-- The largest number of keys of an account that are not revoked.
create function app.max_api_keys() returns integer language sql immutable parallel safe as 'select 50';

-- Creates a key and its user for the caller, an active admin, unless it would have expired already. Returns whether it did. Concurrent calls
-- wait for one another, so the limit is exact.
create function app.create_api_key(p_id uuid, p_hash bytea, p_last_characters text, p_name text, p_role text, p_team uuid, p_scopes text[],
                                   p_allowed_ranges text[], p_expires_at timestamptz) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  kept integer;
begin
  perform app.require_scope();
  if p_expires_at <= app.now() then
    return false;
  end if;
  -- Waits for a concurrent change of the creator too, whose trigger would not see the new key.
  perform from users where account_id = app.account_id() and id = app.user_id() and role = 'admin' and is_active for share;
  if not found then
    raise exception 'the creator is no admin' using errcode = 'SF403';
  end if;
  perform from accounts where id = app.account_id() for no key update;
  select count(*) into kept from api_keys where account_id = app.account_id() and revoked_at is null;
  if kept >= app.max_api_keys() then
    perform app.raise_limit_reached('api_keys', kept, app.max_api_keys());
  end if;
  insert into users (id, account_id, email, full_name, role, team_id, team_role, is_active, is_service, email_verified_at, timezone)
  select p_id, a.id, 'api-key-' || gen_random_uuid() || '@keys.invalid', p_name, p_role, p_team,
         case when p_team is not null then 'member' end, false, true, app.now(), a.timezone
    from accounts a where a.id = app.account_id();
  insert into api_keys (id, hash, last_characters, scopes, allowed_ranges, expires_at)
  values (p_id, p_hash, p_last_characters, p_scopes, p_allowed_ranges, p_expires_at);
  return true;
end $$;

-- A key ends when its creator is deactivated or is no account admin any more, because that person has seen it.
create function app.revoke_keys_of_creator() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update api_keys set revoked_at = app.now() where account_id = new.account_id and created_by = new.id and revoked_at is null;
  return null;
end $$;
create trigger revoke_api_keys after update of role, is_active on users for each row
  when (old.role = 'admin' and old.is_active and not (new.role = 'admin' and new.is_active))
  execute function app.revoke_keys_of_creator();

-- Whether a user may act without a person: the user of a key that is neither revoked nor expired.
create function app.is_key_open(p_account uuid, p_key uuid) returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (select from api_keys k where k.account_id = p_account and k.id = p_key and k.revoked_at is null
                    and (k.expires_at is null or k.expires_at > app.now()))
$$;

-- Checks what a key may do, and returns its role and team. `p_scopes` are the scopes of which one suffices; none for an operation that is closed to
-- keys. Raises SF401 (revoked or expired), SF4KN (closed), SF4KS (scope), SF403 (role), SF4EV (address of its
-- creator), SF4SL (subscription), SF4FD (feature).
create function app.check_key(p_account uuid, p_key uuid, p_scopes text[], p_access text, p_past text, p_feature text,
                              out v_role text, out v_team uuid, out v_team_role text)
language plpgsql stable set search_path = public, pg_temp as $$
declare
  v_scopes text[];
  is_lapsed boolean;
begin
  select u.role, u.team_id, u.team_role, k.scopes, app.lapsed(a) into v_role, v_team, v_team_role, v_scopes, is_lapsed
    from api_keys k
    join users u on u.account_id = k.account_id and u.id = k.id
    join accounts a on a.id = k.account_id
   where k.account_id = p_account and k.id = p_key and app.is_key_open(p_account, p_key) and a.erasing_at is null;
  if not found then
    raise exception 'the key is not valid' using errcode = 'SF401';
  end if;
  if p_scopes = '{}' then
    raise exception 'closed to keys' using errcode = 'SF4KN';
  end if;
  if not coalesce(v_scopes && p_scopes, false) then
    raise exception 'scope' using errcode = 'SF4KS', detail = p_scopes[1];
  end if;
  if not (case p_access
            when 'user' then true
            when 'engineer' then v_role in ('engineer', 'admin')
            when 'team_admin' then v_role = 'admin'
            else false end) then
    raise exception 'role' using errcode = 'SF403';
  end if;
  if p_past = 'verified' and exists (select from api_keys k join users c on c.account_id = k.account_id and c.id = k.created_by
                                      where k.account_id = p_account and k.id = p_key and c.email_verified_at is null) then
    raise exception 'the creator has not verified their address' using errcode = 'SF4EV';
  end if;
  if p_past in ('none', 'verified') and is_lapsed then
    raise exception 'subscription lapsed' using errcode = 'SF4SL';
  end if;
  if p_feature is not null and not app.feature_on(p_account, p_feature) then
    raise exception 'feature disabled' using errcode = 'SF4FD';
  end if;
end $$;
revoke execute on function app.check_key(uuid, uuid, text[], text, text, text) from app_runtime, app_platform;

-- app.enter for an API key. `p_address` is null for a stored request, whose address was checked when it was accepted; text that is no
-- address is in no range. Raises what app.check_key does, and SF4KA (address).
create function app.enter_key(p_account uuid, p_key uuid, p_hash bytea, p_scopes text[], p_access text, p_past text, p_feature text,
                              p_address text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ranges text[];
  v_role text;
  v_team uuid;
  v_team_role text;
begin
  perform app.require_policies(p_access like '%super\_admin%');
  select k.allowed_ranges into ranges from api_keys k where k.account_id = p_account and k.id = p_key and k.hash = p_hash;
  if not found then
    raise exception 'the key is not valid' using errcode = 'SF401';
  end if;
  select c.v_role, c.v_team, c.v_team_role into v_role, v_team, v_team_role
    from app.check_key(p_account, p_key, p_scopes, p_access, p_past, p_feature) c;
  if ranges <> '{}' and p_address is not null
     and not coalesce(pg_input_is_valid(p_address, 'inet') and p_address::inet <<= any (ranges::cidr[]), false) then
    raise exception 'address' using errcode = 'SF4KA';
  end if;
  perform app.set_scope(p_account, p_key, v_role, v_team, v_team_role, coalesce(p_address, ''));
end $$;

-- Records a use of a key, at most once a minute.
create function app.record_key_use(p_account uuid, p_key uuid, p_ip text, p_user_agent text) returns void
language sql set search_path = public, pg_temp as $$
  update api_keys set last_used_at = app.now(), last_ip = p_ip, last_user_agent = p_user_agent
   where account_id = p_account and id = p_key and (last_used_at is null or last_used_at <= app.now() - interval '1 minute')
$$;
revoke execute on function app.record_key_use(uuid, uuid, text, text) from app_runtime;

-- Whether app.enter_key has admitted the key in this transaction.
create function app.is_key_admitted(p_account uuid, p_key uuid) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce(app.signed_account_id() = p_account and app.user_id() = p_key, false)
     and exists (select from users u where u.account_id = p_account and u.id = p_key and u.is_service)
$$;

-- Whether app.enter_key would still admit a key that reads live events.
create function app.still_admits_key(p_account uuid, p_key uuid, p_access text, p_feature text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.check_key(p_account, p_key, '{ai:read,ai:write,*:read,*:write}', p_access, 'none', p_feature);
  return true;
exception when sqlstate 'SF401' or sqlstate 'SF403' or sqlstate 'SF4KS' or sqlstate 'SF4SL' or sqlstate 'SF4FD' then
  return false;
end $$;

-- The OAuth server for MCP clients: programs that registered themselves, authorization codes and refresh tokens. A grant is a sign-in, so
-- whatever ends sign-ins ends it, and the person sees and revokes it among them. Codes and tokens are stored as hashes, which only the platform
-- role reads.
create table oauth_clients (
  -- Random text, because a program belongs to no account.
  id            text primary key check (length(id) = 22),
  name          text not null check (length(name) between 1 and 100),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 10),
  created_at    timestamptz(3) not null default app.now(),
  -- A client without a grant is deleted after a day. Each use extends the time.
  expires_at    timestamptz(3) not null default app.now() + interval '1 day'
);
create index oauth_clients_expiry on oauth_clients (expires_at);

create table oauth_codes (
  hash           bytea primary key,
  client_id      text not null references oauth_clients on delete cascade,
  -- The sign-in that agreed. If it ends, the code does too.
  sign_in_id     uuid not null references sign_ins on delete cascade,
  redirect_uri   text not null,
  code_challenge text not null check (length(code_challenge) = 43),
  scopes         text[] not null check (cardinality(scopes) between 1 and 50),
  expires_at     timestamptz(3) not null default app.now() + interval '60 seconds',
  used_at        timestamptz(3),
  -- The sign-in that the code was exchanged for. A second use ends it.
  grant_id       uuid
);
create index oauth_codes_client on oauth_codes (client_id);
create index oauth_codes_sign_in on oauth_codes (sign_in_id);
create index oauth_codes_expiry on oauth_codes (expires_at);

create table oauth_refresh_tokens (
  hash       bytea primary key,
  sign_in_id uuid not null references sign_ins on delete cascade,
  client_id  text not null references oauth_clients on delete cascade,
  scopes     text[] not null,
  used_at    timestamptz(3),
  created_at timestamptz(3) not null default app.now()
);
create index oauth_refresh_tokens_sign_in on oauth_refresh_tokens (sign_in_id);
create index oauth_refresh_tokens_client on oauth_refresh_tokens (client_id);
-- Used tokens are deleted by age.
create index oauth_refresh_tokens_used on oauth_refresh_tokens (used_at) where used_at is not null;
grant select, insert, update, delete on oauth_clients, oauth_codes, oauth_refresh_tokens to app_platform;
