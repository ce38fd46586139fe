-- The OAuth server for MCP clients: programs that registered themselves, authorization codes and refresh tokens. A grant is a sign-in, so
-- whatever ends sign-ins ends it, and the person sees and revokes it among them. Codes and tokens are stored as hashes, which only the platform
-- role reads.
create table oauth_clients (
  -- Random text, because a program belongs to no account.
  id            text primary key check (length(id) = 22),
  name          text not null check (length(name) between 1 and 100),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 10),
  created_at    timestamptz(3) not null default app.now(),
  -- A client without a grant is deleted after a day. Each use extends the time.
  expires_at    timestamptz(3) not null default app.now() + interval '1 day'
);
create index oauth_clients_expiry on oauth_clients (expires_at);

create table oauth_codes (
  hash           bytea primary key,
  client_id      text not null references oauth_clients on delete cascade,
  -- The sign-in that agreed. If it ends, the code does too.
  sign_in_id     uuid not null references sign_ins on delete cascade,
  redirect_uri   text not null,
  code_challenge text not null check (length(code_challenge) = 43),
  scopes         text[] not null check (cardinality(scopes) between 1 and 50),
  expires_at     timestamptz(3) not null default app.now() + interval '60 seconds',
  used_at        timestamptz(3),
  -- The sign-in that the code was exchanged for. A second use ends it.
  grant_id       uuid
);
create index oauth_codes_client on oauth_codes (client_id);
create index oauth_codes_sign_in on oauth_codes (sign_in_id);
create index oauth_codes_expiry on oauth_codes (expires_at);

create table oauth_refresh_tokens (
  hash       bytea primary key,
  sign_in_id uuid not null references sign_ins on delete cascade,
  client_id  text not null references oauth_clients on delete cascade,
  scopes     text[] not null,
  used_at    timestamptz(3),
  created_at timestamptz(3) not null default app.now()
);
create index oauth_refresh_tokens_sign_in on oauth_refresh_tokens (sign_in_id);
create index oauth_refresh_tokens_client on oauth_refresh_tokens (client_id);
-- Used tokens are deleted by age.
create index oauth_refresh_tokens_used on oauth_refresh_tokens (used_at) where used_at is not null;
grant select, insert, update, delete on oauth_clients, oauth_codes, oauth_refresh_tokens to app_platform;
