-- Articles on their way to flows: an article parsed to blocks, and the nodes that were made of it.
create table kb_imports (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  team_id    uuid,
  created_by uuid not null default app.user_id(),
  title      text not null check (length(title) between 1 and 300),
  format     text not null check (format in ('markdown', 'text', 'html', 'docx')),
  blocks     jsonb not null check (jsonb_typeof(blocks) = 'array' and jsonb_array_length(blocks) between 1 and 5000),
  status     text not null default 'uploaded' check (status in ('uploaded', 'converted', 'committed', 'failed')),
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

create table kb_import_nodes (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  import_id  uuid not null,
  parent_id  uuid,
  -- The place in reading order, counted anew with every move.
  position   integer not null check (position >= 0),
  kind       text not null check (kind in ('section', 'step', 'note', 'decision', 'solution')),
  title      text not null check (length(title) <= 300),
  content    text not null check (length(content) <= 20000),
  primary key (id),
  unique (account_id, import_id, id),
  foreign key (account_id, import_id) references kb_imports (account_id, id) on delete cascade,
  -- A parent is a node of the same import.
  foreign key (account_id, import_id, parent_id) references kb_import_nodes (account_id, import_id, id),
  check (parent_id <> id)
);

-- A quota of a lifetime is counted in one row that begins with the epoch; what was counted stays when an import goes.
alter table quota_counters
  drop constraint quota_counters_quota_check,
  add constraint quota_counters_quota_check check (quota in ('ai_builds', 'kb_imports'));

do $$ declare t text; begin
  foreach t in array array['kb_imports', 'kb_import_nodes'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('grant select, insert, update, delete on %I to app_platform', t);
  end loop;
end $$;
create policy reads on kb_imports for select using (account_id = app.account_id() and app.sees('team', created_by, team_id));
create policy adds on kb_imports for insert with check (account_id = app.account_id());
create policy changes on kb_imports for update using (account_id = app.account_id()) with check (account_id = app.account_id());
create policy removes on kb_imports for delete using (account_id = app.account_id());
create policy own on kb_import_nodes using (account_id = app.account_id()) with check (account_id = app.account_id());
grant select, insert, delete, update (status, tree_id, updated_at) on kb_imports to app_runtime;
grant select, insert, delete, update (parent_id, position, kind, title, content) on kb_import_nodes to app_runtime;
