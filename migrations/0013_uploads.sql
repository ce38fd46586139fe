-- Uploaded images, each stored as one JPEG in the bucket.
create table uploads (
  id           uuid not null default uuidv7(),
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  object_key   text not null check (length(object_key) <= 200),
  content_type text not null check (content_type = 'image/jpeg'),
  width        integer not null check (width > 0),
  height       integer not null check (height > 0),
  size         integer not null check (size > 0),
  -- Of the stored file. Null for what an earlier version has stored.
  sha256       text check (sha256 ~ '^[0-9a-f]{64}$'),
  created_by   uuid default app.user_id(),
  created_at   timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create index uploads_newest on uploads (account_id, created_at desc, id desc);
-- For the deletion of old rows, a batch at a time.
create index uploads_age on uploads (created_at);
call app.protect('uploads');
grant select, insert on uploads to app_runtime;
-- For `for update`, which needs the right to update a column.
grant select, insert, delete, update (created_at) on uploads to app_platform;

-- A team's logo is an upload, an upload has a user, and a user has a team. So this key of `teams` can only be added here.
alter table teams
  add constraint teams_branding_logo foreign key (account_id, branding_logo_upload_id) references uploads (account_id, id);
create index teams_branding_logo on teams (account_id, branding_logo_upload_id);

-- Objects whose row was deleted, and which a job still has to delete from the object store.
create table deleted_objects (
  object_key text primary key check (length(object_key) <= 300),
  deleted_at timestamptz(3) not null default app.now()
);
create index deleted_objects_age on deleted_objects (deleted_at);
grant select, insert, update, delete on deleted_objects to app_platform;
-- Security definer, because whoever deletes an upload cannot write this table.
create function app.delete_object_later() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into deleted_objects (object_key) values (old.object_key) on conflict do nothing;
  return null;
end $$;
create trigger delete_object after delete on uploads for each row execute function app.delete_object_later();
