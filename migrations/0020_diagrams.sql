-- Network diagrams with their earlier versions, and the device types they are drawn with. The platform's device types are files, see
-- migrations/content.
create table device_types (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  team_id    uuid,
  name       text not null check (length(name) between 1 and 200),
  category   text not null check (category in ('network', 'compute', 'storage', 'cloud', 'endpoint', 'infrastructure', 'security')),
  icon       text check (length(icon) <= 100),
  created_by uuid default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
-- A name is unique in its team. The platform's device types have no team.
create unique index device_types_name on device_types (account_id, team_id, app.name_key(name)) nulls not distinct;
create index device_types_category on device_types (account_id, category, name collate "und-x-icu", id);

create table network_diagrams (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  team_id       uuid not null,
  name          text not null check (length(name) between 1 and 200),
  description   text not null default '' check (length(description) <= 20000),
  client_name   text check (length(client_name) <= 200),
  asset_name    text check (length(asset_name) <= 200),
  nodes         jsonb not null check (jsonb_typeof(nodes) = 'array'),
  edges         jsonb not null check (jsonb_typeof(edges) = 'array'),
  is_archived   boolean not null default false,
  -- A change that is based on an older version is refused.
  version       integer not null default 1,
  restored_from integer,
  saved_by      uuid default app.user_id(),
  -- The size of the content when it was written. A trigger sets it.
  bytes         integer,
  created_by    uuid not null default app.user_id(),
  created_at    timestamptz(3) not null default app.now(),
  updated_at    timestamptz(3) not null default app.now(),
  search        text generated always as (
    app.fold(name || E'\n' || description || E'\n' || coalesce(client_name, '') || E'\n' || coalesce(asset_name, ''))) stored,
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, saved_by) references users (account_id, id)
);
create index network_diagrams_newest on network_diagrams (account_id, is_archived, updated_at desc, id desc);
create index network_diagrams_client on network_diagrams (account_id, app.name_key(client_name));
create index network_diagrams_search on network_diagrams using gin (account_id, search gin_trgm_ops);
-- For the foreign key, whose check would read the whole table when a row of the other one is deleted.
create index network_diagrams_saved_by on network_diagrams (account_id, saved_by);

-- The earlier versions. The newest one is the row itself.
create table diagram_versions (
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  diagram_id    uuid not null,
  version       integer not null check (version > 0),
  name          text not null,
  description   text not null,
  client_name   text,
  asset_name    text,
  nodes         jsonb not null,
  edges         jsonb not null,
  saved_by      uuid,
  restored_from integer,
  bytes         integer not null,
  created_at    timestamptz(3) not null,
  primary key (account_id, diagram_id, version),
  foreign key (account_id, diagram_id) references network_diagrams (account_id, id) on delete cascade,
  foreign key (account_id, saved_by) references users (account_id, id)
);
create index diagram_versions_saved_by on diagram_versions (account_id, saved_by);

call app.protect('device_types', writes => '{insert,update,delete}');
create policy reads on device_types for select using (
  (account_id = (select app.signed_account_id()) and app.sees('team', created_by, team_id))
  or (app.account_id() is not null and account_id = app.platform_account()));
call app.protect('network_diagrams', writes => '{insert,update}');
create policy reads on network_diagrams for select using (account_id = (select app.signed_account_id()) and app.sees('team', created_by, team_id));
-- The queries start from the diagram, whose policy decides who may read it, and thereby its versions.
call app.protect('diagram_versions');

grant select, insert, update (name, category, icon), delete on device_types to app_runtime;
grant select, insert on network_diagrams to app_runtime;
grant update (name, description, client_name, asset_name, nodes, edges, is_archived, version, restored_from, saved_by, updated_at)
  on network_diagrams to app_runtime;
grant select on diagram_versions to app_runtime;
grant select, insert, update, delete on device_types, network_diagrams, diagram_versions to app_platform;

-- The version that a change replaces is kept, and the newest 100 of a row. Security definer, because the runtime role does not write versions.
create function app.keep_diagram_version() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into diagram_versions (account_id, diagram_id, version, name, description, client_name, asset_name, nodes, edges, saved_by,
                                restored_from, bytes, created_at)
  values (old.account_id, old.id, old.version, old.name, old.description, old.client_name, old.asset_name, old.nodes, old.edges, old.saved_by,
          old.restored_from, app.counted_bytes(old), old.updated_at);
  delete from diagram_versions v where v.account_id = new.account_id and v.diagram_id = new.id and v.version < new.version - 100;
  return null;
end $$;
-- After the trigger stored_bytes_later by its name, so that a refusal shows what was used before.
create trigger version_kept after update on network_diagrams for each row
  when (old.version <> new.version) execute function app.keep_diagram_version();

-- Returns the diagrams whose text contains all words. Security definer: LIKE is not leakproof, so row level security would keep the index
-- unused. The caller reads the rows by these ids, which applies the policy.
create function app.find_diagrams(p_words text[]) returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select d.id from network_diagrams d where d.account_id = app.account_id() and d.search like all (p_words)
$$;
