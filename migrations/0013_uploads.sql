-- Images, each stored as one JPEG in the bucket, and how a team's documents look.
create table uploads (
  id           uuid not null default uuidv7(),
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  object_key   text not null check (length(object_key) <= 200),
  content_type text not null check (content_type = 'image/jpeg'),
  width        integer not null check (width > 0),
  height       integer not null check (height > 0),
  size         integer not null check (size > 0),
  created_by   uuid default app.user_id(),
  created_at   timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create index uploads_newest on uploads (account_id, created_at desc, id desc);
alter table uploads enable row level security;
alter table uploads force row level security;
create policy own on uploads using (account_id = app.account_id()) with check (account_id = app.account_id());
grant select, insert on uploads to app_runtime;
grant select, insert, delete on uploads to app_platform;

-- All null is the default look. The team's audit trigger tells who changed it.
alter table teams
  add column branding_company_name text check (length(branding_company_name) between 1 and 200),
  add column branding_primary_colour text check (branding_primary_colour ~ '^#[0-9a-f]{6}$'),
  add column branding_footer_text text check (length(branding_footer_text) between 1 and 500),
  add column branding_logo_upload_id uuid,
  add constraint teams_branding_logo foreign key (account_id, branding_logo_upload_id) references uploads (account_id, id);
create index teams_branding_logo on teams (account_id, branding_logo_upload_id);

-- Whether the caller may change what belongs to a team: its own admins, and the account's.
create function app.leads_team(p_team uuid) returns boolean language sql stable parallel safe as $$
  select current_setting('app.role', true) = 'admin'
    or (current_setting('app.team_role', true) = 'admin' and current_setting('app.team_id', true) = p_team::text)
$$;
