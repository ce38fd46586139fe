-- Tickets with which an EventSource opens a stream, because it cannot send an access token. Tickets and secrets are stored as hashes, which
-- only the platform role reads.
create table stream_tickets (
  hash           bytea primary key,
  sign_in_id     uuid not null references sign_ins on delete cascade,
  -- The secret of the opened stream. A reconnect needs it and the ticket. Null until the ticket is used.
  reconnect_hash bytea,
  -- Of the ticket, and after its use of the reconnects.
  expires_at     timestamptz(3) not null
);
create index stream_tickets_sign_in on stream_tickets (sign_in_id);
create index stream_tickets_expiry on stream_tickets (expires_at);
grant select, insert, update, delete on stream_tickets to app_platform;
