-- The script library: templates with parameters and their earlier versions, and drafts that members accept as templates.
create table script_categories (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  name       text not null check (length(name) between 1 and 200),
  created_by uuid default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create unique index script_categories_name on script_categories (account_id, app.name_key(name));
create trigger audit after insert or update or delete on script_categories for each row execute function app.audit('script_category');

create table script_templates (
  id                  uuid not null default uuidv7(),
  account_id          uuid not null default app.account_id() references accounts on delete cascade,
  team_id             uuid,
  created_by          uuid not null default app.user_id(),
  name                text not null check (length(name) between 1 and 200),
  -- It ends in random characters, so that a conflict does not reveal a name of another account.
  slug                text not null unique check (length(slug) between 1 and 120 and slug !~ '[[:space:]/?#%A-Z]'),
  description         text not null default '' check (length(description) <= 20000),
  script_body         text not null check (length(script_body) <= 200000),
  parameters_schema   jsonb not null default '[]' check (jsonb_typeof(parameters_schema) = 'array'),
  language            text not null check (language in ('powershell', 'bash', 'python')),
  requires_elevation  boolean not null default false,
  -- How much harm a script can do. A script of medium or high risk is rendered only in a session, after an approval.
  -- It belongs to the template, not to a version, so that restoring a version does not lower it.
  risk                text not null default 'low' constraint script_templates_risk check (risk in ('low', 'medium', 'high')),
  category_id         uuid,
  is_shared           boolean not null default false,
  is_gallery_featured boolean not null default false,
  gallery_sort_order  integer not null default 0,
  usage_count         bigint not null default 0,
  source_session_id   uuid,
  source_user_id      uuid,
  source_ticket_ref   text check (length(source_ticket_ref) <= 200),
  -- A change that is based on an older version is refused.
  version             integer not null default 1,
  restored_from       integer,
  saved_by            uuid default app.user_id(),
  created_at          timestamptz(3) not null default app.now(),
  updated_at          timestamptz(3) not null default app.now(),
  search              text generated always as (app.fold(name || E'\n' || description)) stored,
  words               tsvector generated always as (
    setweight(to_tsvector('english', name), 'A') || setweight(to_tsvector('english', description), 'C')) stored,
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, source_user_id) references users (account_id, id),
  foreign key (account_id, category_id) references script_categories (account_id, id) on delete set null (category_id),
  foreign key (account_id, saved_by) references users (account_id, id)
);
create index script_templates_name on script_templates (account_id, name collate "und-x-icu", id);
create index script_templates_category on script_templates (account_id, category_id);
create index script_templates_search on script_templates using gin (account_id, search gin_trgm_ops);
-- For the foreign key, whose check would read the whole table when a row of the other one is deleted.
create index script_templates_saved_by on script_templates (account_id, saved_by);
-- For the public gallery, which reads the featured templates of all accounts as the platform role.
create index script_templates_gallery on script_templates (gallery_sort_order, id) where is_gallery_featured;
create trigger audit_sharing after update of is_shared on script_templates for each row
  execute function app.audit('script_template', 'script_body', 'parameters_schema', 'search', 'words');
create trigger audit_gallery after update of is_gallery_featured, gallery_sort_order on script_templates for each row
  execute function app.audit('gallery_script', 'script_body', 'parameters_schema', 'search', 'words');

-- The earlier versions. The newest one is the row itself.
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

create table draft_templates (
  id                   uuid not null default uuidv7(),
  account_id           uuid not null default app.account_id() references accounts on delete cascade,
  team_id              uuid,
  created_by           uuid not null default app.user_id(),
  status               text not null default 'pending' check (status in ('pending', 'accepted', 'rejected')),
  name                 text not null check (length(name) between 1 and 200),
  description          text not null default '' check (length(description) <= 20000),
  language             text not null check (language in ('powershell', 'bash', 'python')),
  script_body          text not null check (length(script_body) <= 200000),
  proposed_parameters  jsonb not null default '[]' check (jsonb_typeof(proposed_parameters) = 'array'),
  source_session_id    uuid,
  source_ticket_ref    text check (length(source_ticket_ref) <= 200),
  promoted_template_id uuid,
  resolved_at          timestamptz(3),
  created_at           timestamptz(3) not null default app.now(),
  -- The fix of an AI session that the draft was created from.
  source_fix_id        uuid,
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, promoted_template_id) references script_templates (account_id, id) on delete set null (promoted_template_id),
  check ((status = 'pending') = (resolved_at is null))
);
create index draft_templates_newest on draft_templates (account_id, status, created_at desc, id desc);
-- A user who decides twice on the same fix creates one draft.
create unique index draft_templates_fix on draft_templates (account_id, created_by, source_fix_id, md5(script_body))
  where source_fix_id is not null and status = 'pending';

call app.protect('script_categories');
call app.protect('script_templates', writes => '{insert,update,delete}');
create policy reads on script_templates for select using (
  (account_id = (select app.signed_account_id()) and app.sees(case when is_shared then 'account' else 'team' end, created_by, team_id))
  or (app.account_id() is not null and account_id = app.platform_account()));
-- The queries start from the script, whose policy decides who may read it, and thereby its versions.
call app.protect('script_versions');
call app.protect('draft_templates', writes => '{insert,update}');
create policy reads on draft_templates for select using (account_id = (select app.signed_account_id()) and app.sees('team', created_by, team_id));

grant select, insert, delete on script_categories, script_templates to app_runtime;
grant update (name, description, script_body, parameters_schema, language, requires_elevation, risk, category_id, is_shared, version,
              restored_from, saved_by, updated_at) on script_templates to app_runtime;
grant select on script_versions to app_runtime;
grant select, insert, update (status, promoted_template_id, resolved_at) on draft_templates to app_runtime;
grant select, insert, update, delete on script_categories, script_templates, script_versions, draft_templates to app_platform;

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

-- Returns the templates whose text contains all words. Security definer: LIKE is not leakproof, so row level security would keep the index
-- unused. The caller reads the rows by these ids, which applies the policy.
create function app.find_scripts(p_words text[]) returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select s.id from script_templates s where s.account_id in (app.account_id(), app.platform_account()) and s.search like all (p_words)
$$;
-- Counts a use of a template of the account or the platform. Security definer, because the counter itself cannot be written.
create function app.count_script_use(p_id uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  update script_templates set usage_count = usage_count + 1
   where id = p_id and account_id in (app.account_id(), app.platform_account())
$$;
