-- Flows and scripts that are written with the model: conversations of the flow builder, proposals, imports of knowledge articles, and the
-- script builder.
create table flow_conversations (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  user_id          uuid not null default app.user_id(),
  goal             text not null check (length(goal) between 1 and 20000),
  tree_type        text not null check (tree_type in ('troubleshooting', 'procedural', 'maintenance')),
  environment_tags jsonb not null default '[]' check (
    jsonb_typeof(environment_tags) = 'array' and jsonb_array_length(environment_tags) <= 20),
  messages         jsonb not null check (jsonb_typeof(messages) = 'array'),
  draft            jsonb check (jsonb_typeof(draft) = 'object'),
  -- Incremented with each turn. Of two concurrent turns on the same draft, one is stored.
  turns            integer not null default 1 check (turns between 1 and 100),
  -- The work of the request that added the last turn, so that a repetition adds no other.
  last_work_id     uuid,
  created_at       timestamptz(3) not null default app.now(),
  expires_at       timestamptz(3) not null default app.now() + interval '24 hours',
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create index flow_conversations_user on flow_conversations (account_id, user_id);
-- For the job that deletes expired conversations of all accounts as the platform role.
create index flow_conversations_expired on flow_conversations (expires_at);

create table flow_proposals (
  id             uuid not null default uuidv7(),
  account_id     uuid not null default app.account_id() references accounts on delete cascade,
  team_id        uuid default app.team_id(),
  source         text not null check (source in ('session', 'ai_session')),
  source_id      uuid not null,
  action         text not null check (action in ('create', 'update')),
  target_tree_id uuid,
  -- The version that the update is based on. A newer version is not overwritten.
  target_version integer,
  proposed_flow  jsonb not null check (jsonb_typeof(proposed_flow) = 'object'),
  status         text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  submitted_by   uuid not null default app.user_id(),
  decided_by     uuid,
  decided_at     timestamptz(3),
  reason         text check (length(reason) between 1 and 20000),
  created_at     timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete set null (team_id),
  foreign key (account_id, submitted_by) references users (account_id, id),
  foreign key (account_id, decided_by) references users (account_id, id),
  foreign key (account_id, target_tree_id) references trees (account_id, id),
  check ((action = 'update') = (target_tree_id is not null) and (target_tree_id is null) = (target_version is null)),
  check ((status = 'pending') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((status = 'rejected') = (reason is not null))
);
create index flow_proposals_newest on flow_proposals (account_id, status, created_at desc, id desc);
create index flow_proposals_team on flow_proposals (account_id, team_id);
create index flow_proposals_target on flow_proposals (account_id, target_tree_id) where target_tree_id is not null;
-- A session has at most one pending proposal.
create unique index flow_proposals_pending on flow_proposals (account_id, source, source_id) where status = 'pending';
create trigger audit after update of status on flow_proposals for each row execute function app.audit('flow_proposal', 'proposed_flow');

-- A knowledge article as blocks, and the nodes of the flow that it becomes.
create table kb_imports (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  team_id    uuid,
  created_by uuid not null default app.user_id(),
  title      text not null check (length(title) between 1 and 300),
  format     text not null check (format in ('markdown', 'text', 'html', 'docx', 'pdf')),
  blocks     jsonb not null check (jsonb_typeof(blocks) = 'array' and jsonb_array_length(blocks) between 1 and 5000),
  status     text not null default 'uploaded' check (status in ('uploaded', 'converted', 'committed', 'failed')),
  -- Sentences about parts of an article that the conversion merged, because a flow has a limited number of nodes.
  warnings   jsonb not null default '[]' check (jsonb_typeof(warnings) = 'array'),
  tree_id    uuid,
  created_at timestamptz(3) not null default app.now(),
  updated_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, tree_id) references trees (account_id, id),
  check ((status = 'committed') = (tree_id is not null))
);
create index kb_imports_newest on kb_imports (account_id, created_at desc, id desc);
create index kb_imports_tree on kb_imports (account_id, tree_id) where tree_id is not null;

-- A job imports many articles in slices: the files of a ZIP archive, or a page of the web.
create table kb_batches (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  team_id          uuid,
  created_by       uuid not null default app.user_id(),
  source           text not null check (source in ('zip', 'url', 'hudu', 'it_glue')),
  -- The address of the page or of the vendor.
  address          text,
  -- The archive.
  object_key       text,
  -- The vendor's key, encrypted. It is deleted when the batch ends.
  api_key          text,
  -- Where the vendor's list of articles goes on; null when it is complete.
  list_position    text check (length(list_position) <= 100),
  state            text not null default 'queued' check (state in ('queued', 'retrying', 'succeeded', 'failed', 'canceled')),
  -- Articles that were imported or refused, which is also the place of the next one.
  done             integer not null default 0,
  total            integer not null,
  problem          text,
  succeeded_at     timestamptz(3),
  -- When it ended.
  finished_at      timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  check ((source = 'zip') = (object_key is not null) and (source <> 'zip') = (address is not null)),
  check ((source in ('hudu', 'it_glue') and state in ('queued', 'retrying')) = (api_key is not null)),
  check (source in ('hudu', 'it_glue') or list_position is null)
);
call app.attempts('kb_batches');
create function app.forget_api_key() returns trigger language plpgsql as $$
begin
  new.api_key := null;
  return new;
end $$;
create trigger forget_api_key before update of state on kb_batches for each row
  when (new.state not in ('queued', 'retrying')) execute function app.forget_api_key();
create index kb_batches_newest on kb_batches (account_id, created_at desc, id desc);
-- One at a time.
create unique index kb_batches_open on kb_batches (account_id) where state in ('queued', 'retrying');
-- For the sweep and the clean-up, which read the batches of all accounts as the platform role.
create index kb_batches_due on kb_batches (next_attempt_at) where state in ('queued', 'retrying');
create index kb_batches_finished on kb_batches (finished_at);

-- What became of each article of a batch.
create table kb_batch_items (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  batch_id   uuid not null,
  place      integer not null,
  name       text not null check (length(name) <= 2000),
  -- Of a vendor's article, its id there. It is listed before it is imported.
  source_id  text check (length(source_id) <= 100),
  -- Null for an article that was refused, and after its import was deleted.
  import_id  uuid,
  -- Why it was refused.
  problem    text,
  primary key (account_id, batch_id, place),
  unique (account_id, batch_id, source_id),
  foreign key (account_id, batch_id) references kb_batches (account_id, id) on delete cascade,
  foreign key (account_id, import_id) references kb_imports (account_id, id) on delete set null (import_id)
);
create index kb_batch_items_import on kb_batch_items (account_id, import_id) where import_id is not null;

create table kb_import_nodes (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  import_id  uuid not null,
  parent_id  uuid,
  -- The place in reading order. Each move renumbers the nodes.
  position   integer not null check (position >= 0),
  kind       text not null check (kind in ('section', 'step', 'note', 'decision', 'solution')),
  title      text not null check (length(title) <= 300),
  content    text not null check (length(content) <= 20000),
  primary key (id),
  unique (account_id, import_id, id),
  foreign key (account_id, import_id) references kb_imports (account_id, id) on delete cascade,
  -- A parent belongs to the same import.
  foreign key (account_id, import_id, parent_id) references kb_import_nodes (account_id, import_id, id),
  check (parent_id <> id)
);

-- Conversations in which a script is written, standalone or in an AI session.
create table script_builder_sessions (
  id                uuid not null default uuidv7(),
  account_id        uuid not null default app.account_id() references accounts on delete cascade,
  user_id           uuid not null default app.user_id(),
  origin            text not null check (origin in ('standalone', 'pilot_inline')),
  ai_session_id     uuid,
  -- A number per user. With its unique index a user has at most five standalone sessions.
  place             smallint check (place between 1 and 5),
  language          text not null check (language in ('powershell', 'bash', 'python')),
  title             text not null check (length(title) between 1 and 300),
  script_body       text check (length(script_body) between 1 and 200000),
  parameters_schema jsonb not null default '[]' check (jsonb_typeof(parameters_schema) = 'array'),
  created_at        timestamptz(3) not null default app.now(),
  updated_at        timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id),
  foreign key (account_id, ai_session_id) references ai_sessions (account_id, id) on delete cascade,
  check ((origin = 'pilot_inline') = (ai_session_id is not null)),
  check ((origin = 'standalone') = (place is not null))
);
create unique index script_builder_place on script_builder_sessions (account_id, user_id, place) where place is not null;
create unique index script_builder_inline on script_builder_sessions (account_id, user_id, ai_session_id) where ai_session_id is not null;
create index script_builder_newest on script_builder_sessions (account_id, user_id, created_at desc, id desc);
create index script_builder_ai on script_builder_sessions (account_id, ai_session_id) where ai_session_id is not null;

create table script_builder_messages (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  position   bigint not null generated by default as identity,
  role       text not null check (role in ('user', 'assistant')),
  content    text not null check (length(content) between 1 and 20000),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  foreign key (account_id, session_id) references script_builder_sessions (account_id, id) on delete cascade
);
create index script_builder_messages_session on script_builder_messages (account_id, session_id, position);

call app.protect('flow_conversations');
call app.delete_with_person('flow_conversations');
call app.protect('flow_proposals', writes => '{insert,update}');
create policy reads on flow_proposals for select using (account_id = (select app.signed_account_id()) and app.sees('team', submitted_by, team_id));
call app.protect('kb_imports', writes => '{insert,update,delete}');
create policy reads on kb_imports for select using (account_id = (select app.signed_account_id()) and app.sees('team', created_by, team_id));
call app.protect('kb_batches', writes => '{insert,update}');
create policy reads on kb_batches for select using (account_id = (select app.signed_account_id()) and app.sees('team', created_by, team_id));
call app.protect('kb_batch_items');
call app.protect('kb_import_nodes');
call app.protect('script_builder_sessions');
call app.delete_with_person('script_builder_sessions', 'origin = ''standalone''');
call app.protect('script_builder_messages');

grant select, insert, delete, update (messages, draft, turns, last_work_id) on flow_conversations to app_runtime;
grant select, insert, update (status, decided_by, decided_at, reason) on flow_proposals to app_runtime;
grant select, insert, delete, update (status, warnings, tree_id, updated_at) on kb_imports to app_runtime;
grant select, insert, delete, update (parent_id, position, kind, title, content) on kb_import_nodes to app_runtime;
grant select, insert, update (state, next_attempt_at, leased_until, finished_at) on kb_batches to app_runtime;
grant select on kb_batch_items to app_runtime;
grant select, insert, update, delete on kb_batches, kb_batch_items to app_platform;
grant select, insert, delete, update (script_body, parameters_schema, updated_at) on script_builder_sessions to app_runtime;
grant select, insert on script_builder_messages to app_runtime;
grant select, insert, update, delete on flow_conversations, flow_proposals, kb_imports, kb_import_nodes, script_builder_sessions,
  script_builder_messages to app_platform;
