-- Figures read whole periods of sessions: what they count stands in the index, so that no session's row is fetched for it.
drop index sessions_started, sessions_completed;
create index sessions_started on sessions (account_id, started_at) include (user_id, tree_id, state, completed_at);
create index sessions_completed on sessions (account_id, completed_at) include (user_id, started_at, outcome) where completed_at is not null;
