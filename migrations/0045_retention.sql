-- How long an account keeps its old rows, in days. `session_days` is null where finished sessions stay.
alter table accounts
  add column audit_log_days integer not null default 730,
  add column notification_days integer not null default 180,
  add column ai_message_days integer not null default 730,
  add column session_days integer;
alter table accounts add constraint accounts_retention check (
  audit_log_days between 365 and 3650 and notification_days between 30 and 730
  and ai_message_days between 30 and 3650 and session_days between 90 and 3650) not valid;
grant update (audit_log_days, notification_days, ai_message_days, session_days) on accounts to app_runtime;
create or replace trigger audit
  after update of name, timezone, settings, require_mfa, brand_colour, audit_log_days, notification_days, ai_message_days, session_days
  on accounts for each row execute function app.audit('account');

-- When the messages of an ended session were deleted. A session that continues afterwards is processed again when it is old.
alter table ai_sessions add column messages_deleted_at timestamptz(3);

-- `for update` needs the right to update a column.
grant delete, update (received_at) on billing_events to app_platform;

-- Deletes up to `p_limit` entries that are older than their account keeps them, and returns their number. No role may delete other entries.
create function app.delete_audit_logs(p_limit integer) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with deleted as (
    delete from audit_logs where ctid = any (array(
      select l.ctid from accounts a cross join lateral (
        select ctid from audit_logs
         where account_id = a.id and created_at < app.now() - make_interval(days => a.audit_log_days)
         limit p_limit for update skip locked) l
       limit p_limit))
    returning id
  )
  select count(*)::integer from deleted
$$;
revoke execute on function app.delete_audit_logs(integer) from app_runtime;
