-- Accounts, their teams, members and invites, and the rules about seats and admins.
create function app.is_small_object(j jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(j) = 'object' and octet_length(j::text) <= 16384 and (select count(*) <= 64 from jsonb_object_keys(j))
$$;

-- Each request reads the subscription, so its state is part of the account.
create table accounts (
  id                       uuid primary key default uuidv7(),
  name                     text not null check (length(name) between 1 and 200),
  timezone                 text not null default 'UTC',
  plan                     text not null references plan_limits,
  subscription_status      text not null check (subscription_status in ('trialing', 'free', 'active', 'past_due', 'unpaid', 'canceled')),
  trial_ends_at            timestamptz(3),
  -- The plan of the trial, while a subscription has the account on another one. Null if none had.
  trial_plan               text references plan_limits,
  past_due_since           timestamptz(3),
  created_at               timestamptz(3) not null default app.now(),
  -- Whether members must have a second factor.
  require_mfa              boolean not null default false,
  settings                 jsonb not null default '{}' constraint accounts_settings_size check (app.is_small_object(settings)),
  preferences              jsonb not null default '{}' constraint accounts_preferences_size check (app.is_small_object(preferences)),
  -- The colour of the account's e-mails. Null for the default.
  brand_colour             text constraint accounts_brand_colour check (brand_colour ~ '^#[0-9a-f]{6}$'),
  -- How long the account keeps its old rows, in days. `session_days` is null where finished sessions stay.
  audit_log_days           integer not null default 730,
  notification_days        integer not null default 180,
  ai_message_days          integer not null default 730,
  session_days             integer,
  -- After how many months a published flow is due for a review; null for none.
  flow_review_months       integer constraint accounts_flow_reviews check (flow_review_months between 1 and 60),
  -- The customer whose portal opens, the subscription that counts, and its state. They follow from the tables of 0014_billing.sql.
  billing_customer_id      text unique check (length(billing_customer_id) <= 255),
  provider_subscription_id text unique check (length(provider_subscription_id) <= 255),
  current_period_end       timestamptz(3),
  -- The start of the months of use; null until the provider sends one, and then created_at counts.
  billing_anchor           timestamptz(3),
  -- Not used any more: each subscription has its own. The previous release still writes it.
  billing_event_at         timestamptz(3),
  -- When the account will be erased; null unless an admin has asked for it.
  deletes_at               timestamptz(3),
  deletion_requested_by    uuid,
  -- When the erasure began. From then on nobody enters the account, and nobody restores it.
  erasing_at               timestamptz(3),
  constraint accounts_retention check (
    audit_log_days between 365 and 3650 and notification_days between 30 and 730
    and ai_message_days between 30 and 3650 and session_days between 90 and 3650)
);
create index accounts_plan on accounts (plan);
create index accounts_trial_plan on accounts (trial_plan);
-- For the accounts whose grace period is over.
create index accounts_deletion on accounts (deletes_at) where deletes_at is not null;
insert into accounts (id, name, plan, subscription_status) values (app.platform_account(), 'Platform', 'enterprise', 'active');

create table teams (
  id                      uuid not null default uuidv7(),
  account_id              uuid not null default app.account_id() references accounts on delete cascade,
  name                    text not null check (length(name) between 1 and 200),
  -- Null for the time zone of the account.
  timezone                text constraint teams_timezone check (length(timezone) between 1 and 100),
  created_at              timestamptz(3) not null default app.now(),
  -- The local time of the message with the handover of a shift, and who set it. Null for none.
  handover_time           time,
  handover_set_by         uuid,
  -- When the next one is due, and when the last one was sent.
  handover_at             timestamptz(3),
  handover_sent_at        timestamptz(3),
  -- The branding of the team's documents; null for the default.
  branding_company_name   text check (length(branding_company_name) between 1 and 200),
  branding_primary_colour text check (branding_primary_colour ~ '^#[0-9a-f]{6}$'),
  branding_footer_text    text check (length(branding_footer_text) between 1 and 500),
  branding_logo_upload_id uuid,
  primary key (id),
  unique (account_id, id),
  check ((handover_time is null) = (handover_at is null))
);
create unique index teams_name on teams (account_id, app.name_key(name));
-- For the sweep, which reads the teams of all accounts as the platform role.
create index teams_handover on teams (handover_at) where handover_at is not null;

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
  -- Whether it is the user of an API key.
  is_service           boolean not null default false,
  email_verified_at    timestamptz(3),
  must_change_password boolean not null default false,
  -- Whether the user has a confirmed authenticator app or a passkey. Each request reads it.
  has_second_factor    boolean not null default false,
  timezone             text not null default 'UTC',
  created_at           timestamptz(3) not null default app.now(),
  last_login_at        timestamptz(3),
  -- When the user was anonymised. The row stays for those that refer to it; it names nobody and stays inactive.
  erased_at            timestamptz(3),
  -- When the last trace of the user was erased from rows of which there may be many.
  traces_erased_at     timestamptz(3),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  check ((team_id is null) = (team_role is null)),
  constraint users_service_inactive check (not (is_service and (is_active or is_super_admin))),
  constraint users_erased_inactive check (erased_at is null or not is_active)
);

-- The time zone, or UTC if PostgreSQL does not know it.
create function app.known_timezone(p_timezone text) returns text language plpgsql stable parallel safe set search_path = public, pg_temp as $$
begin
  perform now() at time zone p_timezone;
  return p_timezone;
exception when invalid_parameter_value then
  return 'UTC';
end $$;
-- The day of the account in the scope.
create function app.local_today() returns date language sql stable set search_path = public, pg_temp as $$
  select (app.now() at time zone app.known_timezone(a.timezone))::date from accounts a where a.id = app.account_id()
$$;

-- Deletes the rows of a person in a table, which its column user_id names, when the person is erased; with a condition, only these rows.
create function app.delete_rows_of_person() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('delete from %s where user_id = $1 %s', tg_argv[0], tg_argv[1]) using new.id, new.account_id;
  return null;
end $$;
create procedure app.delete_with_person(person_table regclass, condition text default null) language plpgsql as $$
declare
  has_account constant boolean := exists (
    select from pg_attribute where attrelid = person_table and attname = 'account_id' and not attisdropped);
begin
  execute format(
    'create trigger %I after update of erased_at on users for each row when (new.erased_at is not null) execute function app.delete_rows_of_person(%L, %L)',
    'delete_' || person_table, person_table, concat(case when has_account then 'and account_id = $2' end, ' and ' || condition));
end $$;
revoke execute on procedure app.delete_with_person(regclass, text) from app_runtime, app_platform;
-- Without the account, which is not known yet at sign-in. Whoever was removed may join another account with their address.
create unique index users_email on users (lower(email)) where is_active;
create index users_email_of_account on users (account_id, lower(email));
-- For the accounts in which nobody verifies an address.
create index users_unverified on users (created_at) where email_verified_at is null and is_active;
create index users_team on users (account_id, team_id);
create index users_name on users (account_id, full_name collate "und-x-icu", id);
-- Those whom an event of their account or team tells.
create index users_admins on users (account_id) where role = 'admin' or team_role = 'admin';
-- For the search of staff, who see every account.
create index users_search on users using gin (app.fold(email || E'\n' || full_name) gin_trgm_ops);
insert into users (id, account_id, email, full_name, role, is_active, email_verified_at)
  values (app.service_user(), app.platform_account(), 'service@platform.invalid', 'Support Flow', 'engineer', false, app.now());

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
  -- Older codes are invalid. Sending the invite again creates a new code.
  codes_since timestamptz(3) not null default app.now(),
  created_at  timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete set null (team_id),
  foreign key (account_id, invited_by) references users (account_id, id),
  foreign key (account_id, accepted_by) references users (account_id, id)
);
create index invites_newest on invites (account_id, created_at desc, id desc);

-- Each invite e-mail has its own code. Only the hash is stored.
create table invite_codes (
  hash       bytea primary key,
  invite_id  uuid not null references invites on delete cascade,
  created_at timestamptz(3) not null default app.now()
);
create index invite_codes_invite on invite_codes (invite_id);

-- Codes with which people register while registration is by invitation only.
create table platform_invite_codes (
  id         uuid primary key default uuidv7(),
  hash       bytea not null unique,
  max_uses   integer not null check (max_uses > 0),
  used_count integer not null default 0 check (used_count between 0 and max_uses),
  expires_at timestamptz(3),
  note       text check (length(note) <= 1000),
  -- Without a foreign key, as in the audit log: the id stays when the user is deleted.
  created_by uuid default app.user_id(),
  created_at timestamptz(3) not null default app.now()
);

-- A feature that an account has, or lacks, whatever its plan says.
create table feature_overrides (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  feature    text not null references features,
  enabled    boolean not null,
  created_at timestamptz(3) not null default app.now(),
  primary key (account_id, feature)
);
create index feature_overrides_feature on feature_overrides (feature);

call app.protect('accounts', writes => '{}');
create policy own on accounts using (id = (select app.signed_account_id())) with check (id = (select app.signed_account_id()));
call app.protect('teams');
call app.protect('users');
-- What members may change about each other does not apply to the user of a key.
create policy people on users as restrictive for update
  using (account_id = (select app.signed_account_id()) and not is_service)
  with check (account_id = (select app.signed_account_id()) and not is_service);
create policy erased on users as restrictive for update
  using (account_id = (select app.signed_account_id()) and erased_at is null)
  with check (account_id = (select app.signed_account_id()) and erased_at is null);
call app.protect('invites');
call app.protect('feature_overrides');

grant select on accounts, teams, users, feature_overrides to app_runtime;
grant update (name, timezone, settings, preferences, require_mfa, brand_colour, audit_log_days, notification_days, ai_message_days, session_days,
              flow_review_months, deletes_at, deletion_requested_by) on accounts to app_runtime;
grant insert, update, delete on teams to app_runtime;
grant update (full_name, timezone, role, team_id, team_role, is_active) on users to app_runtime;
grant select, insert, update on invites to app_runtime;
grant select, insert, update, delete on accounts, teams, users, feature_overrides to app_platform;
grant select, insert, update, delete on invites to app_platform;
grant select, insert, update on platform_invite_codes to app_platform;
grant select, insert, delete on invite_codes to app_platform;

-- Whether the user's address is still unverified 72 hours after registration.
create function app.is_verification_overdue(u users) returns boolean language sql stable parallel safe as $$
  select u.email_verified_at is null and u.created_at + interval '72 hours' <= app.now()
$$;

-- Whether the account is locked until it pays.
create function app.lapsed(a accounts) returns boolean language sql stable parallel safe as $$
  select a.subscription_status in ('unpaid', 'canceled')
    or (a.subscription_status = 'past_due' and a.past_due_since + interval '7 days' < app.now())
$$;

-- The plan and the subscription that apply now: an expired trial is the free plan.
create function app.plan_of(a accounts) returns text language sql stable parallel safe as $$
  select case when a.subscription_status = 'trialing' and a.trial_ends_at <= app.now() then 'free' else a.plan end
$$;
create function app.subscription_of(a accounts) returns text language sql stable parallel safe as $$
  select case when a.subscription_status = 'trialing' and a.trial_ends_at <= app.now() then 'free' else a.subscription_status end
$$;
create function app.seats_of(a accounts) returns integer language sql stable parallel safe as $$
  select l.max_users from public.plan_limits l where l.plan = app.plan_of(a)
$$;

-- Whether an account has a feature: by its override, else by its plan, else not.
create function app.feature_on(p_account uuid, p_feature text) returns boolean
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(
    (select o.enabled from public.feature_overrides o where o.account_id = p_account and o.feature = p_feature),
    (select f.enabled from public.plan_features f join public.accounts a on a.id = p_account
      where f.plan = app.plan_of(a) and f.feature = p_feature),
    false)
$$;

-- Why work of an account that was queued before may not be done any more, or null.
create function app.why_closed(p_account uuid, p_feature text) returns text
language sql stable parallel safe set search_path = public, pg_temp as $$
  select case when app.lapsed(a) then 'The subscription of the account has lapsed'
              when p_feature is not null and not app.feature_on(p_account, p_feature) then 'The account no longer has this feature' end
    from accounts a where a.id = p_account
$$;

-- Whether the caller may change what belongs to the team: as one of its admins or as an account admin.
create function app.leads_team(p_team uuid) returns boolean language sql stable parallel safe as $$
  select app.role() = 'admin'
    or (app.team_role() = 'admin' and app.team_id() = p_team)
$$;
-- Whether the caller may change what a member of a team created: as its creator, as an admin of the team or as an account admin.
create function app.may_change(p_creator uuid, p_team uuid) returns boolean language sql stable parallel safe as $$
  select coalesce(p_creator = app.user_id(), false) or coalesce(app.role() = 'admin', false)
    or (coalesce(p_team = app.team_id(), false) and app.team_role() = 'admin')
$$;
-- Whether a user can still work: is active and no viewer. What waits for somebody who cannot is freed, passes to their admins, or ends.
create function app.can_work(u users) returns boolean language sql stable parallel safe as $$ select u.is_active and u.role <> 'viewer' $$;
-- Whether a member of the account can no longer work. A function of its own, so that app.sees can be inlined.
create function app.cannot_work(p_user uuid) returns boolean language sql stable parallel safe set search_path = public, pg_temp as $$
  select exists (select from users u where u.account_id = app.account_id() and u.id = p_user and not app.can_work(u))
$$;
-- Whether a member of the account can no longer work, and the caller is an admin of the account or of the member's team. They read, finish and
-- delete what the member worked on alone, because nobody else could.
create function app.inherits_from(p_user uuid) returns boolean language sql stable parallel safe set search_path = public, pg_temp as $$
  select exists (select from users u where u.account_id = app.account_id() and u.id = p_user and not app.can_work(u)
                    and (app.role() = 'admin' or (app.team_role() = 'admin' and u.team_id = app.team_id())))
$$;
-- Whether the caller sees what a member of a team created, by its visibility. Account admins also see what is private to somebody who can no longer work.
create function app.sees(p_visibility text, p_author uuid, p_team uuid) returns boolean language sql stable parallel safe as $$
  select p_visibility in ('account', 'public') or coalesce(p_author = app.user_id(), false)
    or (p_visibility = 'team' and (coalesce(p_team = app.team_id(), false) or coalesce(app.role() = 'admin', false)))
    or (p_visibility = 'private' and coalesce(app.role() = 'admin', false) and app.cannot_work(p_author))
$$;

-- Whether an invite can still be accepted.
create function app.is_open(i invites) returns boolean language sql stable parallel safe as $$
  select i.accepted_at is null and i.revoked_at is null and i.expires_at > app.now()
$$;

-- An account keeps at least one active admin. The account is locked, so that two admins cannot remove each other at the same time.
-- (`for update` would deadlock with the share lock of a new row's foreign key.)
create function app.keep_last_admin() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform from accounts where id = old.account_id for no key update;
  -- One whose end nobody asked for has nobody left.
  if not exists (select from users u where u.account_id = old.account_id and u.role = 'admin' and u.is_active)
     and not exists (select from accounts where id = old.account_id and deletes_at is not null and deletion_requested_by is null) then
    raise exception 'the last admin' using errcode = 'SF4LA';
  end if;
  return null;
end $$;
-- Who changes members locks their account before them, as who provisions them does: in two orders they would wait for each other.
create function app.lock_own_account() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform from accounts where id = app.account_id() for no key update;
  return null;
end $$;
create trigger own_account before update of role, is_active on users for each statement execute function app.lock_own_account();
create trigger last_admin after update of role, is_active on users for each row
  when (old.role = 'admin' and old.is_active and (new.role <> 'admin' or not new.is_active))
  execute function app.keep_last_admin();

-- The platform keeps at least one active super admin. Security definer, because an account admin who deactivates a member cannot see the
-- super admins of other accounts.
create function app.keep_last_super_admin() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('app.keep_last_super_admin', 0));
  if not exists (select from public.users u where u.is_super_admin and u.is_active) then
    raise exception 'the last super admin' using errcode = 'SF4LS';
  end if;
  return null;
end $$;
create trigger last_super_admin after update of is_super_admin, is_active on users for each row
  when (old.is_super_admin and old.is_active and (not new.is_super_admin or not new.is_active))
  execute function app.keep_last_super_admin();

-- An account has no more active members and open invites than seats.
create function app.keep_seats() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  a accounts;
  taken integer;
begin
  select * into a from accounts where id = new.account_id for no key update;
  select count(*) into taken from users u where u.account_id = new.account_id and u.is_active;
  if tg_table_name = 'invites' then
    -- An open invite takes a seat, so that every invited person can join.
    select taken + count(*) into taken from invites i where i.account_id = new.account_id and app.is_open(i);
    if exists (select from invites i where i.account_id = new.account_id and lower(i.email) = lower(new.email) and i.id <> new.id
                  and app.is_open(i)) then
      raise exception 'this address has an open invite' using errcode = 'SF4IO';
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

-- Whether the account masks what leaves: the preference `mask_exports`.
create function app.masks_exports(p_account uuid default app.account_id()) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce(preferences -> 'mask_exports' = 'true', false) from accounts where id = p_account
$$;

-- The preferences that decide what of a text leaves: only an account admin changes them, and each change is in the audit log. The other
-- preferences belong to every member. Without a user in the scope, the platform itself acts.
create function app.require_admin_for_texts() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if app.user_id() is not null and app.role() is distinct from 'admin' then
    raise exception 'only an account admin changes mask_exports and push_details' using errcode = 'SF4AA';
  end if;
  return new;
end $$;
create trigger text_preferences before update of preferences on accounts for each row
  when (new.preferences -> 'mask_exports' is distinct from old.preferences -> 'mask_exports'
        or new.preferences -> 'push_details' is distinct from old.preferences -> 'push_details')
  execute function app.require_admin_for_texts();

-- Deletes a team, removes its members from it and revokes its invites: without a team, an invite is to the first one, which may serve other
-- clients. Fails with foreign_key_violation while other rows belong to the team.
-- Security definer, because only the owner can switch the audit log off.
create function app.delete_team(p_id uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.require_scope();
  -- First, so that whoever joins meanwhile is a member to remove.
  update invites set revoked_at = app.now()
   where account_id = app.account_id() and team_id = p_id and accepted_at is null and revoked_at is null;
  perform set_config('app.audit', app.sign('audit off'), true);
  update users set team_id = null, team_role = null where account_id = app.account_id() and team_id = p_id;
  perform set_config('app.audit', '', true);
  delete from teams where account_id = app.account_id() and id = p_id;
  return found;
end $$;
