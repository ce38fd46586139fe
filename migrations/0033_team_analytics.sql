-- migrate: no-transaction
-- For the metrics of one team, which read these indexes without the rows.
create index concurrently if not exists sessions_team_started on sessions (account_id, team_id, started_at);
create index concurrently if not exists sessions_team_completed on sessions (account_id, team_id, completed_at) include (lasted, outcome)
  where completed_at is not null;
drop index concurrently if exists sessions_team;
