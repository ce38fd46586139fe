-- Uploaded images, each stored as one JPEG in the bucket.
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
call app.protect('uploads');
grant select, insert on uploads to app_runtime;
grant select, insert, delete on uploads to app_platform;

-- A team's logo is an upload, an upload has a user, and a user has a team. So this key of `teams` can only be added here.
alter table teams
  add constraint teams_branding_logo foreign key (account_id, branding_logo_upload_id) references uploads (account_id, id);
create index teams_branding_logo on teams (account_id, branding_logo_upload_id);
