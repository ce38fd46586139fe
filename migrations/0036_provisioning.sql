-- Members and groups as the provider of the organisation provisions them with SCIM 2.0 (RFC 7643, RFC 7644). A member is a user; these rows
-- have what only the provider knows of them.
create table scim_users (
  id             uuid not null default uuidv7(),
  account_id     uuid not null default app.account_id() references accounts on delete cascade,
  user_id        uuid not null,
  -- Not always the address: Entra sends the user principal name.
  user_name      text not null check (length(user_name) between 1 and 320),
  external_id    text check (length(external_id) between 1 and 500),
  given_name     text check (length(given_name) between 1 and 200),
  family_name    text check (length(family_name) between 1 and 200),
  formatted_name text check (length(formatted_name) between 1 and 400),
  -- When the provider deleted the person, who is unknown to it since then. The user stays, deactivated.
  deleted_at     timestamptz(3),
  created_at     timestamptz(3) not null default app.now(),
  updated_at     timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create unique index scim_users_name on scim_users (account_id, lower(user_name)) where deleted_at is null;
create trigger audit after insert or update or delete on scim_users for each row
  execute function app.audit('scim_user', 'user_name', 'external_id', 'given_name', 'family_name', 'formatted_name');
call app.delete_with_person('scim_users');

-- Their roles and teams are those of `sso_connections.group_roles`, by the name or the id at the provider.
create table scim_groups (
  id           uuid not null default uuidv7(),
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  display_name text not null check (length(display_name) between 1 and 256),
  external_id  text check (length(external_id) between 1 and 500),
  created_at   timestamptz(3) not null default app.now(),
  updated_at   timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id)
);
create unique index scim_groups_name on scim_groups (account_id, lower(display_name));
call app.limit_rows('scim_groups', 500);
create trigger audit after insert or update of display_name, external_id or delete on scim_groups for each row
  execute function app.audit('scim_group');

create table scim_group_members (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  group_id   uuid not null,
  user_id    uuid not null,
  primary key (account_id, group_id, user_id),
  foreign key (account_id, group_id) references scim_groups (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index scim_group_members_user on scim_group_members (account_id, user_id);
call app.delete_with_person('scim_group_members');

call app.protect('scim_users');
call app.protect('scim_groups');
call app.protect('scim_group_members');
grant select, insert, update, delete on scim_users, scim_groups, scim_group_members to app_runtime, app_platform;

-- app.enter for the provider of an organisation: a scope without a user, whose role is `scim`. Raises SF401 (unknown or revoked token) and SF4SL
-- (subscription).
create function app.enter_scim(p_account uuid, p_connection uuid, p_hash bytea, p_address text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_lapsed boolean;
begin
  perform app.require_policies(false);
  select app.lapsed(a) into is_lapsed
    from public.sso_connections c join public.accounts a on a.id = c.account_id
   where c.account_id = p_account and c.id = p_connection and c.scim_hash = p_hash and a.erasing_at is null;
  if not found then
    raise exception 'the token is not valid' using errcode = 'SF401';
  end if;
  if is_lapsed then
    raise exception 'subscription lapsed' using errcode = 'SF4SL';
  end if;
  perform app.set_scope(p_account, null, 'scim', null, null, p_address);
end $$;

-- Raises an error outside the scope of a provider.
create function app.require_scim() returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if app.role() is distinct from 'scim' then
    raise exception 'the caller is no provider' using errcode = 'insufficient_privilege';
  end if;
end $$;

-- Whether the account has proved the domain of an address.
create function app.is_domain_proved(p_email text) returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (select from sso_domains d where d.account_id = app.account_id() and d.verified_at is not null
                    and d.domain = substring(lower(p_email) from '@([^@]+)$'))
$$;

-- Adds a member, by the open invite for the address if there is one, and returns their id. The role and the team are those of `p_role` and
-- `p_team`, else of the invite, else `p_default_role` and the first team. Security definer, because app_runtime adds no users. The seats are
-- counted as for everybody.
create function app.provision_member(p_email text, p_full_name text, p_is_active boolean, p_role text, p_team uuid, p_default_role text) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_invite invites;
  v_team uuid;
  v_user uuid;
begin
  perform app.require_scope();
  perform app.require_scim();
  if not app.is_domain_proved(p_email) then
    raise exception 'the domain is not proved' using errcode = 'SF403';
  end if;
  update invites i set accepted_at = app.now()
   where i.account_id = app.account_id() and lower(i.email) = lower(p_email) and app.is_open(i) returning * into v_invite;
  select coalesce(
      (select id from teams where account_id = app.account_id() and id = coalesce(p_team, v_invite.team_id)),
      (select id from teams where account_id = app.account_id() order by created_at, id limit 1)) into v_team;
  insert into users (account_id, email, full_name, role, team_id, team_role, is_active, email_verified_at)
  values (app.account_id(), p_email, p_full_name, coalesce(p_role, v_invite.role, p_default_role), v_team,
          case when v_team is not null then 'member' end, p_is_active, app.now())
  returning id into v_user;
  update invites set accepted_by = v_user where account_id = app.account_id() and id = v_invite.id;
  return v_user;
end $$;

-- Changes the address of a member, with an audit entry and an e-mail to the old one, whose delivery it returns. Staff of the platform change
-- their own. Security definer, because app_runtime changes no addresses.
create function app.change_provisioned_address(p_user uuid, p_email text) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_delivery uuid;
begin
  perform app.require_scope();
  perform app.require_scim();
  if not app.is_domain_proved(p_email)
     or not exists (select from users where account_id = app.account_id() and id = p_user and not is_super_admin and not is_service) then
    raise exception 'the address cannot be changed' using errcode = 'SF403';
  end if;
  v_delivery := app.record_factor_change(p_user, null, 'email_change.provisioned', app.client_address(), 'email_changed');
  update users set email = p_email, email_verified_at = app.now() where account_id = app.account_id() and id = p_user;
  return v_delivery;
end $$;

-- Whether an admin could sign in while the provider is away, where it is enforced. Security definer, because app_runtime does not read who has
-- a password.
create function app.has_way_past_provider() returns boolean language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  perform app.require_scope();
  perform app.require_scim();
  return not exists (select from sso_connections c where c.account_id = app.account_id() and c.mode = 'enforced')
      or exists (select from users u join passwords p on p.user_id = u.id
                  where u.account_id = app.account_id() and u.role = 'admin' and u.is_active and u.has_second_factor);
end $$;
