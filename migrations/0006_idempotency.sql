-- The first answer to a request under a caller's own key, kept a day. Key, effect and answer are one transaction.
create table idempotency_keys (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  user_id    uuid not null default app.user_id(),
  operation  text not null,
  key        text not null check (length(key) between 1 and 255),
  -- SHA-256 of path, query and body: the same key with another request is a mistake of the caller.
  request    bytea not null,
  -- Null while an operation that waits for somebody outside is under way; its lease says until when.
  status     integer,
  body       text,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null default app.now(),
  primary key (account_id, user_id, operation, key),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index idempotency_keys_age on idempotency_keys (created_at);
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy own on idempotency_keys using (account_id = app.account_id() and user_id = app.user_id())
  with check (account_id = app.account_id() and user_id = app.user_id());
grant select, insert, update, delete on idempotency_keys to app_runtime;
grant select, delete on idempotency_keys to app_platform;
