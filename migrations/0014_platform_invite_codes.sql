-- Codes that let somebody register while the service is not open to everybody.
create table platform_invite_codes (
  id         uuid primary key default uuidv7(),
  hash       bytea not null unique,
  max_uses   integer not null check (max_uses > 0),
  used_count integer not null default 0 check (used_count between 0 and max_uses),
  expires_at timestamptz(3),
  note       text check (length(note) <= 1000),
  -- Without a key, like an audit row's actor: it says who, whatever became of them.
  created_by uuid default app.user_id(),
  created_at timestamptz(3) not null default app.now()
);
grant select, insert, update on platform_invite_codes to app_platform;
