-- migrate: no-transaction
-- For the deletion of old rows, a batch at a time.
create index concurrently if not exists events_age on events (account_id, created_at);
create index concurrently if not exists deliveries_age on deliveries (created_at) where event_id is null;
create index concurrently if not exists ai_sessions_old on ai_sessions (account_id, last_activity_at)
  where status in ('resolved', 'abandoned', 'archived') and (messages_deleted_at is null or messages_deleted_at < last_activity_at);
create index concurrently if not exists psa_pushes_body on psa_pushes (pushed_at) where state = 'pushed' and body <> '[deleted]';
create index concurrently if not exists billing_events_age on billing_events (received_at);
create index concurrently if not exists maintenance_runs_age on maintenance_runs (due_at);
create index concurrently if not exists refresh_tokens_age on refresh_tokens (created_at);
-- For foreign keys, whose check would read a whole table when a row of the other one is deleted.
create index concurrently if not exists sessions_tree_version on sessions (tree_account_id, tree_id, tree_version);
create index concurrently if not exists session_custom_steps_tree on session_custom_steps (tree_account_id, tree_id) where tree_id is not null;
create index concurrently if not exists ai_sessions_tree_key on ai_sessions (tree_account_id, tree_id) where tree_id is not null;
create index concurrently if not exists ai_fixes_script_key on ai_fixes (script_account_id, script_template_id)
  where script_template_id is not null;
create index concurrently if not exists tree_pins_tree on tree_pins (tree_account_id, tree_id);
create index concurrently if not exists trees_parent_key on trees (parent_account_id, parent_tree_id) where parent_tree_id is not null;
create index concurrently if not exists trees_root_key on trees (root_account_id, root_tree_id) where root_tree_id is not null;
create index concurrently if not exists deliveries_sales_lead on deliveries (sales_lead_id) where sales_lead_id is not null;
create index concurrently if not exists passkey_challenges_user on passkey_challenges (user_id);
alter table accounts validate constraint accounts_retention;
