-- Check what earlier files added with `not valid` against the rows that were there. This reads each table once and blocks no writes.
alter table accounts validate constraint accounts_brand_colour;
alter table deliveries validate constraint deliveries_purpose_check;
alter table events validate constraint events_escalation;
alter table kb_imports validate constraint kb_imports_warnings_check;
alter table notification_configs validate constraint notification_configs_recipients;
alter table notifications validate constraint notifications_escalation;
alter table plan_limits validate constraint plan_limits_ai_cost;
alter table plan_limits validate constraint plan_limits_configs;
alter table plan_limits validate constraint plan_limits_mails;
alter table plan_limits validate constraint plan_limits_quotas;
alter table plan_limits validate constraint plan_limits_webhooks;
alter table sessions validate constraint sessions_secret_variables_size;
alter table stream_events validate constraint stream_events_event_check;
alter table users validate constraint users_service_inactive;
