-- The first response to a request with an Idempotency-Key, stored for a day. Key, effect and response are written in one transaction.
create table idempotency_keys (
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  user_id      uuid not null default app.user_id(),
  operation    text not null,
  key          text not null check (length(key) between 1 and 255),
  -- SHA-256 of path, query and body. The same key with another request is refused.
  request      bytea not null,
  -- Null while an operation that calls an external service is running, at most until leased_until.
  status       integer,
  -- The id of what the request stores. A second run after a crash has the same, so it finds what the first one stored.
  work_id      uuid not null default uuidv7(),
  -- Sealed. During a change of CREDENTIALS_KEY the old key stays for the day that a row lives.
  body         text,
  leased_until timestamptz(3),
  created_at   timestamptz(3) not null default app.now(),
  primary key (account_id, user_id, operation, key),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index idempotency_keys_age on idempotency_keys (created_at);
call app.protect('idempotency_keys', writes => '{}');
call app.delete_with_person('idempotency_keys');
create policy own on idempotency_keys using (account_id = (select app.signed_account_id()) and user_id = app.user_id())
  with check (account_id = (select app.signed_account_id()) and user_id = app.user_id());
grant select, insert, update, delete on idempotency_keys to app_runtime;
-- The operations of staff run as the platform role. It bypasses the policies, so its queries name the user.
grant select, insert, update, delete on idempotency_keys to app_platform;
