-- Stored requests to the model: accepted ones (`Prefer: respond-async`), those that take longer than two seconds, and those whose client
-- disconnects before the answer.
create table ai_tasks (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  user_id          uuid not null default app.user_id(),
  sign_in_id       uuid not null,
  operation        text not null check (length(operation) <= 100),
  -- Path and query below /api/v1, and the body, which is emptied when the task ends.
  path             text not null check (length(path) <= 2000),
  body             text not null check (octet_length(body) <= 2097152),
  state            text not null default 'queued' check (state in ('queued', 'retrying', 'finished', 'failed')),
  attempts         integer not null default 0,
  max_attempts     integer not null default 3,
  last_error       text,
  last_status_code integer,
  next_attempt_at  timestamptz(3) default app.now(),
  leased_until     timestamptz(3),
  -- When a sweep last took the row, because its message was lost.
  swept_at         timestamptz(3),
  finished_at      timestamptz(3),
  -- The answer of the operation, which can be an error.
  response_status  integer,
  response_body    text,
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index ai_tasks_newest on ai_tasks (account_id, user_id, created_at desc, id desc);
-- For the limit of open tasks per person.
create index ai_tasks_open on ai_tasks (account_id, user_id) where state in ('queued', 'retrying');
-- For the sweep, which reads the tasks of all accounts as the platform role.
create index ai_tasks_due on ai_tasks (next_attempt_at) where state in ('queued', 'retrying');
create index ai_tasks_age on ai_tasks (created_at);

call app.protect('ai_tasks', writes => '{insert,update}');
create policy reads on ai_tasks for select using (account_id = (select app.signed_account_id()) and user_id = (select app.user_id()));
grant select, insert on ai_tasks to app_runtime;
grant update (state, body, next_attempt_at, finished_at, response_status, response_body) on ai_tasks to app_runtime;
grant select, insert, update, delete on ai_tasks to app_platform;

-- Streams notify the person whose task has ended.
alter table stream_events drop constraint stream_events_event_check,
  add constraint stream_events_event_check check (event in ('handoff_created', 'handoff_assessment_ready', 'ai_task_finished')) not valid;
