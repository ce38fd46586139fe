-- The connection of an account to its ticketing system (PSA), the mapping of members, what is pushed to tickets, the callbacks of the system,
-- and rules that prepare sessions.
create table psa_connections (
  id                    uuid not null default uuidv7(),
  account_id            uuid not null default app.account_id() references accounts on delete cascade,
  provider              text not null check (provider in ('connectwise', 'halopsa')),
  base_url              text not null check (length(base_url) between 1 and 2000),
  -- The parts that are not secret: company and client ids, the tenant.
  identity              jsonb not null check (jsonb_typeof(identity) = 'object'),
  -- Encrypted with the service's key; the account's id and the provider are authenticated with it.
  credentials           text not null check (length(credentials) <= 8000),
  is_active             boolean not null default true,
  -- Time entries are rounded up to a multiple of this, and have at least the minimum.
  time_rounding_minutes integer not null default 1 constraint psa_connections_rounding check (time_rounding_minutes between 1 and 60),
  time_minimum_minutes  integer not null default 0 constraint psa_connections_minimum check (time_minimum_minutes between 0 and 480),
  -- The status that the ticket of a resolved case gets, by the id of its board. A board that is not in it keeps the status.
  resolved_statuses     jsonb not null default '{}' constraint psa_connections_resolved_statuses
    check (jsonb_typeof(resolved_statuses) = 'object' and octet_length(resolved_statuses::text) <= 20000),
  last_checked_at       timestamptz(3),
  last_check_error      text,
  -- Since when it leads to this system. What was queued before is not done: a ticket of this number is another one here.
  system_since          timestamptz(3) not null default app.now(),
  created_by            uuid default app.user_id(),
  created_at            timestamptz(3) not null default app.now(),
  updated_at            timestamptz(3) not null default app.now(),
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
create function app.replace_psa_system() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from psa_member_mappings m where m.account_id = new.account_id and m.connection_id = new.id;
  new.system_since := app.now();
  return new;
end $$;
create trigger replace_system before update of provider, base_url, identity on psa_connections for each row
  when (old.provider <> new.provider or old.base_url <> new.base_url
    or old.identity - '{auth_url,private_note_outcome,public_note_outcome}'::text[]
      <> new.identity - '{auth_url,private_note_outcome,public_note_outcome}'::text[])
  execute function app.replace_psa_system();

create table psa_pushes (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  kind             text not null default 'note' constraint psa_pushes_kind check (kind in ('note', 'time_entry', 'ticket')),
  -- Null until the ticket of a push of the kind `ticket` was created.
  ticket_id        text check (length(ticket_id) between 1 and 100),
  -- What the kind needs beside the text.
  details          jsonb not null default '{}'
    constraint psa_pushes_details check (jsonb_typeof(details) = 'object' and octet_length(details::text) <= 4000),
  body             text not null check (length(body) between 1 and 40000),
  internal         boolean not null default true,
  -- The subject of the push, without a foreign key: it may be deleted before.
  source_kind      text not null check (source_kind in ('session', 'ai_session', 'output', 'user')),
  source_id        uuid not null,
  requested_by     uuid default app.user_id(),
  state            text not null default 'queued' check (state in ('queued', 'retrying', 'pushed', 'failed')),
  pushed_at        timestamptz(3),
  provider_note_id text,
  -- The status that the ticket got with the note of a resolved case.
  ticket_status_id text check (length(ticket_status_id) between 1 and 100),
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, requested_by) references users (account_id, id) on delete set null (requested_by),
  constraint psa_pushes_ticket check (ticket_id is not null or kind = 'ticket'),
  -- A text for colleagues is mailed to no client.
  constraint psa_pushes_notify check (not (internal and details ? 'notify'))
);
call app.attempts('psa_pushes');
create index psa_pushes_newest on psa_pushes (account_id, created_at desc, id desc);
-- For the notes of a ticket that this service has added.
create index psa_pushes_notes on psa_pushes (account_id, ticket_id) where provider_note_id is not null;
create index psa_pushes_source on psa_pushes (account_id, source_id, created_at desc);
-- For the sweep, which reads the pushes of all accounts as the platform role.
create index psa_pushes_due on psa_pushes (next_attempt_at) where state in ('queued', 'retrying');
-- For the deletion of old texts, a batch at a time.
create index psa_pushes_body on psa_pushes (pushed_at) where state = 'pushed' and body <> '[deleted]';
-- A session has one time entry and creates one ticket, unless the push has failed.
create unique index psa_pushes_once on psa_pushes (account_id, source_id, kind) where kind <> 'note' and state <> 'failed';

-- Callbacks of the ticketing system: their addresses, the tickets that they name, and rules that prepare sessions.
create table psa_callbacks (
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  connection_id    uuid not null,
  -- SHA-256 of the token in the address.
  token_hash       bytea not null check (octet_length(token_hash) = 32),
  -- SHA-256 of the password with which HaloPSA signs in.
  password_hash    bytea not null check (octet_length(password_hash) = 32),
  -- The calls since this time, for the limit per minute.
  counted_since    timestamptz(3) not null default app.now(),
  calls            integer not null default 0,
  last_received_at timestamptz(3),
  created_by       uuid default app.user_id(),
  created_at       timestamptz(3) not null default app.now(),
  primary key (account_id),
  foreign key (account_id, connection_id) references psa_connections (account_id, id) on delete cascade,
  foreign key (account_id, created_by) references users (account_id, id) on delete set null (created_by)
);
create unique index psa_callbacks_token on psa_callbacks (token_hash);
create index psa_callbacks_connection on psa_callbacks (account_id, connection_id);
create index psa_callbacks_creator on psa_callbacks (account_id, created_by);
create trigger audit after insert or update of token_hash or delete on psa_callbacks
  for each row when (pg_trigger_depth() = 0) execute function app.audit('psa_callback', 'token_hash', 'password_hash');

-- Tickets that a callback has named. A job reads their state from the ticketing system.
create table psa_ticket_changes (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  ticket_id        text not null check (ticket_id ~ '^[0-9]{1,15}$'),
  -- Hash of the state that was read. The next read of the same state tells nobody.
  fingerprint      text check (length(fingerprint) <= 100),
  state            text not null default 'queued' check (state in ('queued', 'retrying', 'done', 'failed')),
  done_at          timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id)
);
call app.attempts('psa_ticket_changes');
-- A ticket waits once. A callback that arrives while the ticket is being read adds another row, because the read may have missed the change.
create unique index psa_ticket_changes_waiting on psa_ticket_changes (account_id, ticket_id) where state = 'queued' and attempts = 0;
create index psa_ticket_changes_done on psa_ticket_changes (account_id, ticket_id, done_at desc) where state = 'done';
create index psa_ticket_changes_open on psa_ticket_changes (account_id) where state in ('queued', 'retrying');
-- For the sweep and the clean-up, which read every account as the platform role.
create index psa_ticket_changes_due on psa_ticket_changes (next_attempt_at) where state in ('queued', 'retrying');
create index psa_ticket_changes_age on psa_ticket_changes (created_at);

create table psa_rules (
  id              uuid not null default uuidv7(),
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  name            text not null check (length(name) between 1 and 200),
  -- Rules are checked in this order, then in that of their creation.
  position        integer not null default 0 check (position between 0 and 10000),
  is_enabled      boolean not null default true,
  -- Conditions. A null or empty one matches every ticket.
  board_id        text check (board_id ~ '^[0-9]{1,15}$'),
  ticket_type     text check (length(ticket_type) between 1 and 200),
  keywords        text[] not null default '{}' check (cardinality(keywords) <= 20),
  -- The flow, without a foreign key: it may belong to the platform.
  tree_id         uuid not null,
  -- The ticket's field for each variable of the flow.
  variables       jsonb not null default '{}' check (jsonb_typeof(variables) = 'object' and octet_length(variables::text) <= 10000),
  -- The user of the prepared sessions.
  user_id         uuid not null,
  last_matched_at timestamptz(3),
  -- Why the last matching ticket got no session.
  last_error      text check (length(last_error) <= 1000),
  created_by      uuid default app.user_id(),
  created_at      timestamptz(3) not null default app.now(),
  updated_at      timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, created_by) references users (account_id, id) on delete set null (created_by)
);
create index psa_rules_order on psa_rules (account_id, position, id);
create index psa_rules_user on psa_rules (account_id, user_id);
create index psa_rules_creator on psa_rules (account_id, created_by);
create trigger audit after insert or update of name, position, is_enabled, board_id, ticket_type, keywords, tree_id, variables, user_id or delete
  on psa_rules for each row when (pg_trigger_depth() = 0) execute function app.audit('psa_rule');

-- The session that a rule prepared for a ticket. Its key makes this happen once.
create table psa_rule_matches (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  rule_id    uuid not null,
  ticket_id  text not null check (length(ticket_id) between 1 and 15),
  -- Without a foreign key: the session may be deleted, and is not prepared again.
  session_id uuid,
  created_at timestamptz(3) not null default app.now(),
  primary key (account_id, rule_id, ticket_id),
  foreign key (account_id, rule_id) references psa_rules (account_id, id) on delete cascade
);
create index psa_rule_matches_age on psa_rule_matches (created_at);

call app.protect('psa_connections');
call app.protect('psa_member_mappings');
call app.delete_with_person('psa_member_mappings');
call app.protect('psa_pushes');
call app.protect('psa_callbacks');
call app.protect('psa_ticket_changes');
call app.protect('psa_rules');
call app.delete_with_person('psa_rules');
call app.protect('psa_rule_matches');
grant select, insert, update, delete on psa_connections, psa_member_mappings, psa_callbacks, psa_rules to app_runtime;
grant select, insert, update on psa_pushes to app_runtime;
grant select on psa_ticket_changes, psa_rule_matches to app_runtime;
grant select, insert, update, delete on psa_connections, psa_member_mappings, psa_pushes, psa_callbacks, psa_ticket_changes, psa_rules,
  psa_rule_matches to app_platform;
