-- What the conversion of an article merged because a flow has a limited number of nodes.
alter table kb_imports add column warnings jsonb not null default '[]' check (jsonb_typeof(warnings) = 'array');
grant update (warnings) on kb_imports to app_runtime;
