-- The connection of an account to its ticketing system (PSA), the mapping of members, and the notes to write to tickets.
create table psa_connections (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  provider         text not null check (provider in ('connectwise', 'halopsa')),
  base_url         text not null check (length(base_url) between 1 and 2000),
  -- The parts that are not secret: company and client ids, the tenant.
  identity         jsonb not null check (jsonb_typeof(identity) = 'object'),
  -- Encrypted with the service's key; the account's id and the provider are authenticated with it.
  credentials      text not null check (length(credentials) <= 8000),
  is_active        boolean not null default true,
  last_checked_at  timestamptz(3),
  last_check_error text,
  created_by       uuid default app.user_id(),
  created_at       timestamptz(3) not null default app.now(),
  updated_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id),
  unique (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id) on delete set null (created_by)
);
create trigger audit after insert or update or delete on psa_connections
  for each row execute function app.audit('psa_connection', 'credentials');

create table psa_member_mappings (
  account_id     uuid not null default app.account_id() references accounts on delete cascade,
  user_id        uuid not null,
  connection_id  uuid not null,
  psa_member_id  text not null check (length(psa_member_id) between 1 and 100),
  psa_identifier text not null check (length(psa_identifier) <= 300),
  psa_name       text not null check (length(psa_name) <= 300),
  created_at     timestamptz(3) not null default app.now(),
  updated_at     timestamptz(3) not null default app.now(),
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, connection_id) references psa_connections (account_id, id) on delete cascade
);
create index psa_member_mappings_connection on psa_member_mappings (account_id, connection_id);
-- Deleting a connection deletes its mappings. The audit row of the connection covers them.
create trigger audit after insert or update or delete on psa_member_mappings
  for each row when (pg_trigger_depth() = 0) execute function app.audit('psa_member_mapping');

-- The members of one system do not exist in another one.
create function app.forget_psa_members() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from psa_member_mappings m where m.account_id = new.account_id and m.connection_id = new.id;
  return null;
end $$;
create trigger forget_members after update of provider, base_url, identity on psa_connections for each row
  when (old.provider <> new.provider or old.base_url <> new.base_url or old.identity <> new.identity)
  execute function app.forget_psa_members();

create table psa_pushes (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  ticket_id        text not null check (length(ticket_id) between 1 and 100),
  body             text not null check (length(body) between 1 and 40000),
  internal         boolean not null default true,
  -- The subject of the note, without a foreign key: it may be deleted before.
  source_kind      text not null check (source_kind in ('session', 'ai_session', 'output')),
  source_id        uuid not null,
  requested_by     uuid default app.user_id(),
  state            text not null default 'queued' check (state in ('queued', 'retrying', 'pushed', 'failed')),
  attempts         integer not null default 0,
  max_attempts     integer not null default 4,
  last_error       text,
  last_status_code integer,
  next_attempt_at  timestamptz(3) default app.now(),
  leased_until     timestamptz(3),
  -- When a sweep last took the row, because its message was lost.
  swept_at         timestamptz(3),
  pushed_at        timestamptz(3),
  provider_note_id text,
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, requested_by) references users (account_id, id) on delete set null (requested_by)
);
create index psa_pushes_newest on psa_pushes (account_id, created_at desc, id desc);
create index psa_pushes_source on psa_pushes (account_id, source_id, created_at desc);
-- For the sweep, which reads the pushes of all accounts as the platform role.
create index psa_pushes_due on psa_pushes (next_attempt_at) where state in ('queued', 'retrying');

call app.protect('psa_connections');
call app.protect('psa_member_mappings');
call app.protect('psa_pushes');
grant select, insert, update, delete on psa_connections, psa_member_mappings to app_runtime;
grant select, insert, update on psa_pushes to app_runtime;
grant select, insert, update, delete on psa_connections, psa_member_mappings, psa_pushes to app_platform;
