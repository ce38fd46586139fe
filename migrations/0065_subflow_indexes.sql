-- migrate: no-transaction
-- For the sub-flows of a session, and for the foreign keys.
create index concurrently if not exists sessions_parent on sessions (account_id, parent_session_id, id) where parent_session_id is not null;
create index concurrently if not exists sessions_subflow on sessions (account_id, subflow_session_id) where subflow_session_id is not null;
alter table sessions validate constraint sessions_parent;
alter table sessions validate constraint sessions_subflow;
alter table sessions validate constraint sessions_parent_step;
