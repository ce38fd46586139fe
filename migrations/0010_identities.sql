-- People who sign in through an identity provider, and the flows that are under way at one.
-- Keyed by what the provider never gives to somebody else (google: sub, microsoft: tid and oid), never by an address.
create table identities (
  provider   text not null check (provider in ('google', 'microsoft')),
  subject    text not null check (length(subject) between 1 and 512),
  user_id    uuid not null references users on delete cascade,
  created_at timestamptz(3) not null default app.now(),
  primary key (provider, subject),
  unique (user_id, provider)
);

-- One row per flow begun; using it is a conditional update. The state is kept as a hash, like every code that is sent around.
create table oauth_states (
  hash          bytea primary key,
  provider      text not null check (provider in ('google', 'microsoft')),
  code_verifier text not null,
  nonce         text not null,
  expires_at    timestamptz(3) not null default app.now() + interval '10 minutes',
  used_at       timestamptz(3),
  created_at    timestamptz(3) not null default app.now()
);
create index oauth_states_expiry on oauth_states (expires_at);
grant select, insert, update, delete on identities, oauth_states to app_platform;
