-- Pushes of time entries and of new tickets, and how a connection rounds time.
alter table psa_pushes
  -- Null until the ticket of a push of the kind `ticket` was created.
  alter column ticket_id drop not null,
  add column kind text not null default 'note',
  -- What the kind needs beside the text.
  add column details jsonb not null default '{}';
alter table psa_pushes drop constraint psa_pushes_source_kind_check,
  add constraint psa_pushes_source_kind_check check (source_kind in ('session', 'ai_session', 'output', 'user')) not valid,
  add constraint psa_pushes_kind check (kind in ('note', 'time_entry', 'ticket')) not valid,
  add constraint psa_pushes_ticket check (ticket_id is not null or kind = 'ticket') not valid,
  add constraint psa_pushes_details check (jsonb_typeof(details) = 'object' and octet_length(details::text) <= 4000) not valid;

alter table psa_connections
  -- Time entries are rounded up to a multiple of this, and have at least the minimum.
  add column time_rounding_minutes integer not null default 1,
  add column time_minimum_minutes integer not null default 0;
alter table psa_connections
  add constraint psa_connections_rounding check (time_rounding_minutes between 1 and 60) not valid,
  add constraint psa_connections_minimum check (time_minimum_minutes between 0 and 480) not valid;
