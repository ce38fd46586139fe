-- The earlier versions of scripts and diagrams. The newest version is the row itself. `saved_by` is null in rows that are older than the column.
alter table script_templates add column saved_by uuid default app.user_id(), add column restored_from integer;
alter table network_diagrams add column saved_by uuid default app.user_id(), add column restored_from integer;
alter table script_templates add foreign key (account_id, saved_by) references users (account_id, id) not valid;
alter table network_diagrams add foreign key (account_id, saved_by) references users (account_id, id) not valid;
grant update (saved_by, restored_from) on script_templates, network_diagrams to app_runtime;

create table script_versions (
  account_id         uuid not null default app.account_id() references accounts on delete cascade,
  script_id          uuid not null,
  version            integer not null check (version > 0),
  name               text not null,
  description        text not null,
  script_body        text not null,
  parameters_schema  jsonb not null,
  language           text not null,
  requires_elevation boolean not null,
  saved_by           uuid,
  restored_from      integer,
  bytes              integer not null,
  created_at         timestamptz(3) not null,
  primary key (account_id, script_id, version),
  foreign key (account_id, script_id) references script_templates (account_id, id) on delete cascade,
  foreign key (account_id, saved_by) references users (account_id, id)
);
create index script_versions_saved_by on script_versions (account_id, saved_by);

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

-- The queries start from the script or the diagram, whose policy decides who may read it, and thereby its versions.
call app.protect('script_versions');
call app.protect('diagram_versions');
grant select on script_versions, diagram_versions to app_runtime;
grant select, insert, update, delete on script_versions, diagram_versions to app_platform;

-- The version that a change replaces is kept, and the newest 100 of a row. Security definer, because the runtime role does not write versions.
create function app.keep_script_version() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into script_versions (account_id, script_id, version, name, description, script_body, parameters_schema, language,
                               requires_elevation, saved_by, restored_from, bytes, created_at)
  values (old.account_id, old.id, old.version, old.name, old.description, old.script_body, old.parameters_schema, old.language,
          old.requires_elevation, old.saved_by, old.restored_from,
          octet_length(old.script_body) + octet_length(old.description) + pg_column_size(old.parameters_schema), old.updated_at);
  delete from script_versions v where v.account_id = new.account_id and v.script_id = new.id and v.version < new.version - 100;
  return null;
end $$;
create trigger version_kept after update on script_templates for each row
  when (old.version <> new.version) execute function app.keep_script_version();
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

-- Earlier versions count as stored bytes, like those of flows.
create function app.counted_bytes(v script_versions) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select v.bytes::bigint
$$;
create function app.counted_bytes(v diagram_versions) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
  select v.bytes::bigint
$$;
create or replace function app.sum_usage(p_account uuid, p_quota text) returns bigint language sql stable set search_path = public, pg_temp as $$
  select case p_quota
           when 'stored_bytes' then
             coalesce((select sum(app.counted_bytes(v)) from tree_versions v where v.account_id = p_account), 0)::bigint
             + coalesce((select sum(app.counted_bytes(u)) from uploads u where u.account_id = p_account), 0)::bigint
             + coalesce((select sum(app.counted_bytes(d)) from network_diagrams d where d.account_id = p_account), 0)::bigint
             + coalesce((select sum(app.counted_bytes(v)) from script_versions v where v.account_id = p_account), 0)::bigint
             + coalesce((select sum(app.counted_bytes(v)) from diagram_versions v where v.account_id = p_account), 0)::bigint
           when 'open_ai_sessions' then
             (select count(*) from ai_sessions s where s.account_id = p_account and app.is_open_ai_session(s.status))
         end
$$;
create trigger counter before insert or delete on script_versions for each row execute function app.start_counter('stored_bytes');
create trigger counter before insert or delete on diagram_versions for each row execute function app.start_counter('stored_bytes');
create trigger stored_bytes after insert or delete on script_versions for each row execute function app.count_stored_bytes();
create trigger stored_bytes after insert or delete on diagram_versions for each row execute function app.count_stored_bytes();
