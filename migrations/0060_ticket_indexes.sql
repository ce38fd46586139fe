-- migrate: no-transaction
-- A session has one time entry and creates one ticket, unless the push has failed.
create unique index concurrently if not exists psa_pushes_once on psa_pushes (account_id, source_id, kind) where kind <> 'note' and state <> 'failed';
alter table psa_pushes validate constraint psa_pushes_source_kind_check;
alter table psa_pushes validate constraint psa_pushes_kind;
alter table psa_pushes validate constraint psa_pushes_ticket;
alter table psa_pushes validate constraint psa_pushes_details;
alter table psa_connections validate constraint psa_connections_rounding;
alter table psa_connections validate constraint psa_connections_minimum;
alter table stream_events validate constraint stream_events_event_check;
alter table maintenance_schedules validate constraint maintenance_schedules_ticket;
create index concurrently if not exists maintenance_schedules_ticket_number on maintenance_schedules (account_id, ticket_number) where ticket_number is not null;
