-- Versions of rows that several people edit, so that a change based on an older version can be refused.
alter table script_templates add column version integer not null default 1;
alter table network_diagrams add column version integer not null default 1;
alter table target_lists add column version integer not null default 1;
alter table ai_sessions add column task_lane_version integer not null default 1;

grant update (version) on script_templates, network_diagrams, target_lists to app_runtime;
grant update (task_lane_version) on ai_sessions to app_runtime;
