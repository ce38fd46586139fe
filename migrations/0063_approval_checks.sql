-- migrate: no-transaction
alter table stream_events validate constraint stream_events_event_check;
alter table script_templates validate constraint script_templates_risk;
