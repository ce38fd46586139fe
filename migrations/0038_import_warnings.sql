-- Sentences about parts of an article that the conversion merged, because a flow has a limited number of nodes.
alter table kb_imports add column warnings jsonb not null default '[]';
-- Not validated, which would read every row: all of them have the default.
alter table kb_imports add constraint kb_imports_warnings_check check (jsonb_typeof(warnings) = 'array') not valid;
grant update (warnings) on kb_imports to app_runtime;
