-- migrate: no-transaction
-- For the counts of a week.
create index concurrently if not exists ai_sessions_created on ai_sessions (account_id, created_at);
create index concurrently if not exists ai_sessions_resolved on ai_sessions (account_id, resolved_at) where resolved_at is not null;
create index concurrently if not exists ai_handoffs_created on ai_handoffs (account_id, created_at);
alter table teams validate constraint teams_timezone;
alter table deliveries validate constraint deliveries_purpose_check;
alter table deliveries validate constraint deliveries_report;
