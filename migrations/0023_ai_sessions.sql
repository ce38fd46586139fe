-- AI sessions: a technician works on a problem with the model. Messages, facts, fixes, handoffs to colleagues, and generated documents.
create function app.is_task_lane(j jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(j) = 'object' and octet_length(j::text) <= 524288
$$;

create table ai_sessions (
  id                  uuid not null default uuidv7(),
  account_id          uuid not null default app.account_id() references accounts on delete cascade,
  team_id             uuid default app.team_id(),
  user_id             uuid not null default app.user_id(),
  session_type        text not null check (session_type in ('guided', 'chat')),
  title               text not null check (length(title) between 1 and 300),
  -- requesting_escalation is an older name of escalated.
  status              text not null default 'active' check (
    status in ('active', 'parked', 'requesting_escalation', 'escalated', 'claimed', 'resolved', 'abandoned', 'archived')),
  problem_summary     text check (length(problem_summary) <= 20000),
  psa_ticket_id       text check (length(psa_ticket_id) between 1 and 64),
  tree_account_id     uuid,
  tree_id             uuid,
  environment_tags    text[] not null default '{}' check (cardinality(environment_tags) <= 20),
  client_name         text check (length(client_name) between 1 and 200),
  asset_name          text check (length(asset_name) between 1 and 200),
  issue_category      text check (length(issue_category) between 1 and 200),
  triage_hypothesis   text check (length(triage_hypothesis) between 1 and 20000),
  -- Whether a person has confirmed that the hypothesis is the cause.
  cause_confirmed     boolean not null default false check (not cause_confirmed or triage_hypothesis is not null),
  evidence_items      jsonb not null default '[]' check (
    jsonb_typeof(evidence_items) = 'array' and jsonb_array_length(evidence_items) <= 500),
  pending_task_lane   jsonb not null default '{"questions": [], "actions": [], "responses": []}' check (app.is_task_lane(pending_task_lane)),
  -- A change of the task lane that is based on an older version is refused.
  task_lane_version   integer not null default 1,
  is_branching        boolean not null default false,
  active_branch_id    uuid not null default uuidv7(),
  escalation_package  jsonb,
  escalated_to_id     uuid,
  picked_up_by_id     uuid,
  state_version       integer not null default 0,
  outcome             text check (outcome in ('resolved', 'workaround', 'not_reproducible')),
  resolution_notes    text check (length(resolution_notes) <= 20000),
  -- What the client is told of it; the notes are for colleagues.
  resolution          text check (length(resolution) between 1 and 20000),
  -- What remains to be done after the resolution.
  follow_up           text check (length(follow_up) between 1 and 20000),
  -- The last note that was written to the ticket.
  psa_push_id         uuid,
  last_activity_at    timestamptz(3) not null default app.now(),
  created_at          timestamptz(3) not null default app.now(),
  updated_at          timestamptz(3) not null default app.now(),
  resolved_at         timestamptz(3),
  -- When the messages of an ended session were deleted. A session that continues afterwards is processed again when it is old.
  messages_deleted_at timestamptz(3),
  -- When it goes back to the queue, because whoever had it can no longer work. Null otherwise.
  returns_at          timestamptz(3),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete set null (team_id),
  foreign key (account_id, user_id) references users (account_id, id),
  foreign key (account_id, escalated_to_id) references users (account_id, id),
  foreign key (account_id, picked_up_by_id) references users (account_id, id),
  foreign key (tree_account_id, tree_id) references trees (account_id, id),
  check (tree_account_id in (account_id, app.platform_account())),
  check ((tree_id is null) = (tree_account_id is null)),
  check ((status = 'resolved') = (resolved_at is not null) and (status = 'resolved') = (outcome is not null))
);
create index ai_sessions_user on ai_sessions (account_id, user_id, created_at desc, id desc);
create index ai_sessions_escalated_to on ai_sessions (account_id, escalated_to_id, created_at desc, id desc)
  where escalated_to_id is not null;
create index ai_sessions_picked_up on ai_sessions (account_id, picked_up_by_id, created_at desc, id desc)
  where picked_up_by_id is not null;
-- For the sweep, which reads every account as the platform role.
create index ai_sessions_returning on ai_sessions (returns_at) where returns_at is not null;
create index ai_sessions_ticket on ai_sessions (account_id, psa_ticket_id) where psa_ticket_id is not null;
create index ai_sessions_tree on ai_sessions (account_id, tree_id) where tree_id is not null;
-- For the foreign key, whose check would read the whole table when a row of the other one is deleted.
create index ai_sessions_tree_key on ai_sessions (tree_account_id, tree_id) where tree_id is not null;
create index ai_sessions_team on ai_sessions (account_id, team_id);
-- For the queue of sessions that wait for a colleague.
create index ai_sessions_waiting on ai_sessions (account_id, id) where status in ('requesting_escalation', 'escalated', 'claimed');
-- For the sweep of idle chats, which reads all accounts.
create index ai_sessions_idle on ai_sessions (last_activity_at) where session_type = 'chat' and status in ('active', 'parked');
-- For the deletion of old messages, a batch at a time.
create index ai_sessions_old on ai_sessions (account_id, last_activity_at)
  where status in ('resolved', 'abandoned', 'archived') and (messages_deleted_at is null or messages_deleted_at < last_activity_at);
-- For the counts of a week.
create index ai_sessions_created on ai_sessions (account_id, created_at);
create index ai_sessions_resolved on ai_sessions (account_id, resolved_at) where resolved_at is not null;

-- A line of messages in a session. The first branch is the main line; another one starts after a message of its parent.
create table ai_branches (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  session_id       uuid not null,
  parent_branch_id uuid,
  -- The branch shares the messages of its parent up to this position.
  fork_position    bigint not null default 0,
  name             text not null check (length(name) between 1 and 200),
  created_by       uuid not null default app.user_id(),
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, session_id, id),
  foreign key (account_id, session_id) references ai_sessions (account_id, id) on delete cascade,
  foreign key (account_id, session_id, parent_branch_id) references ai_branches (account_id, session_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);

create table ai_messages (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  branch_id  uuid not null,
  -- The order of messages, across all sessions.
  position   bigint not null generated by default as identity,
  role       text not null check (role in ('user', 'assistant')),
  content    text not null check (length(content) between 1 and 20000),
  -- The sources that an answer of the model has used: `[{"kind": "flow", "id": "…", "title": "…"}]`.
  citations  jsonb not null default '[]',
  -- All sources that fitted the case, best first. Without a flow among them, the reply offers to draft one.
  sources    jsonb not null default '[]' check (jsonb_typeof(sources) = 'array'),
  -- What the model has looked up for it, masked: `[{"tool": "check_domain", "arguments": {…}, "source": "DNS", "summary": "…"}]`.
  lookups    jsonb not null default '[]' check (jsonb_typeof(lookups) = 'array'),
  -- Why the model gave no answer. The message then offers sources alone.
  failure    text check (failure in ('declined', 'unusable', 'truncated')),
  author_id  uuid,
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, session_id, id),
  foreign key (account_id, session_id, branch_id) references ai_branches (account_id, session_id, id) on delete cascade,
  foreign key (account_id, author_id) references users (account_id, id),
  check ((role = 'user') = (author_id is not null)),
  check (failure is null or role = 'assistant')
);
create index ai_messages_branch on ai_messages (account_id, session_id, branch_id, position);

create table ai_message_uploads (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  message_id uuid not null,
  place      smallint not null check (place between 0 and 2),
  upload_id  uuid not null,
  primary key (account_id, message_id, place),
  foreign key (account_id, session_id, message_id) references ai_messages (account_id, session_id, id) on delete cascade,
  foreign key (account_id, upload_id) references uploads (account_id, id)
);
create index ai_message_uploads_session on ai_message_uploads (account_id, session_id, message_id);
create index ai_message_uploads_upload on ai_message_uploads (account_id, upload_id);

-- The questions of a guided session, in order, with their answers.
create table ai_steps (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  seq        integer not null check (seq >= 1),
  kind       text not null check (kind in ('question', 'action', 'fix')),
  text       text not null check (length(text) between 1 and 20000),
  options    jsonb not null default '[]' check (jsonb_typeof(options) = 'array'),
  rationale  text check (length(rationale) <= 20000),
  citations  jsonb not null default '[]',
  sources    jsonb not null default '[]' check (jsonb_typeof(sources) = 'array'),
  lookups    jsonb not null default '[]' check (jsonb_typeof(lookups) = 'array'),
  -- As in ai_messages.
  failure    text check (failure in ('declined', 'unusable', 'truncated')),
  response   text check (length(response) between 1 and 20000),
  -- The work of the request that stored the response, so that a repetition does not answer the next step.
  answer_work_id uuid,
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, session_id, seq),
  foreign key (account_id, session_id) references ai_sessions (account_id, id) on delete cascade
);

create table ai_facts (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  key        text not null check (length(key) between 1 and 200),
  value      text not null check (length(value) between 1 and 20000),
  source     text not null check (source in ('user', 'ai')),
  created_by uuid not null default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  updated_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, session_id, key),
  foreign key (account_id, session_id) references ai_sessions (account_id, id) on delete cascade,
  foreign key (account_id, created_by) references users (account_id, id)
);

create table ai_fixes (
  id                    uuid not null default uuidv7(),
  account_id            uuid not null default app.account_id() references accounts on delete cascade,
  session_id            uuid not null,
  title                 text not null check (length(title) between 1 and 300),
  description           text not null check (length(description) <= 20000),
  kind                  text not null check (kind in ('manual', 'script', 'template')),
  script_account_id     uuid,
  script_template_id    uuid,
  status                text not null default 'proposed' check (
    status in ('proposed', 'applied_success', 'applied_failed', 'applied_partial', 'applied_pending', 'dismissed')),
  applied_at            timestamptz(3),
  verified_at           timestamptz(3),
  partial_notes         text check (length(partial_notes) between 1 and 20000),
  pending_reason        text check (length(pending_reason) between 1 and 20000),
  failure_reason        text check (length(failure_reason) between 1 and 20000),
  ai_drafted_script     text check (length(ai_drafted_script) between 1 and 200000),
  ai_drafted_language   text check (ai_drafted_language in ('powershell', 'bash', 'python')),
  ai_drafted_parameters jsonb not null default '[]' check (jsonb_typeof(ai_drafted_parameters) = 'array'),
  ai_outcome_proposal   jsonb check (jsonb_typeof(ai_outcome_proposal) = 'object'),
  created_at            timestamptz(3) not null default app.now(),
  updated_at            timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, session_id, id),
  foreign key (account_id, session_id) references ai_sessions (account_id, id) on delete cascade,
  foreign key (script_account_id, script_template_id) references script_templates (account_id, id)
    on delete set null (script_account_id, script_template_id),
  check (script_account_id in (account_id, app.platform_account())),
  check ((script_template_id is null) = (script_account_id is null)),
  check (status not in ('applied_success', 'applied_failed') or (applied_at is not null and verified_at is not null)),
  check (status <> 'applied_partial' or partial_notes is not null),
  check (status <> 'applied_pending' or (pending_reason is not null and applied_at is not null and verified_at is null))
);
create index ai_fixes_session on ai_fixes (account_id, session_id, created_at, id);
create index ai_fixes_script on ai_fixes (account_id, script_template_id) where script_template_id is not null;
-- For the foreign key, whose check would read the whole table when a row of the other one is deleted.
create index ai_fixes_script_key on ai_fixes (script_account_id, script_template_id) where script_template_id is not null;

-- A session that its user parked or escalated to colleagues.
create table ai_handoffs (
  id                  uuid not null default uuidv7(),
  account_id          uuid not null default app.account_id() references accounts on delete cascade,
  session_id          uuid not null,
  intent              text not null check (intent in ('park', 'escalate')),
  created_by          uuid not null default app.user_id(),
  target_user_id      uuid,
  reason              text not null default '' check (length(reason) <= 20000),
  summary             text not null default '' check (length(summary) <= 20000),
  what_was_tried      text not null default '' check (length(what_was_tried) <= 20000),
  next_steps          text not null default '' check (length(next_steps) <= 20000),
  urgency             text not null default 'normal' check (urgency in ('low', 'normal', 'high', 'critical')),
  -- The full text for the colleague and the ticket.
  documentation       text not null default '' check (length(documentation) <= 200000),
  claimed_by          uuid,
  claimed_at          timestamptz(3),
  picked_up_at        timestamptz(3),
  -- When the colleague who picked it up first did something with the session.
  first_action_at     timestamptz(3),
  -- Null until it is picked up, resumed or superseded by the end of the session.
  closed_at           timestamptz(3),
  ai_assessment       text check (length(ai_assessment) <= 20000),
  assessment_status   text check (assessment_status in ('pending', 'ready', 'failed', 'timed_out')),
  -- Until when no other attempt is made. Of an assessment that has timed out, null if none follows.
  assessment_lease    timestamptz(3),
  -- When a sweep last took the assessment, because its message was lost.
  swept_at            timestamptz(3),
  psa_push_id         uuid,
  created_at          timestamptz(3) not null default app.now(),
  -- How many workers started the assessment. A second one may follow a worker that crashed.
  assessment_attempts smallint not null default 0 check (assessment_attempts between 0 and 4),
  primary key (id),
  unique (account_id, session_id, id),
  foreign key (account_id, session_id) references ai_sessions (account_id, id) on delete cascade,
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, target_user_id) references users (account_id, id),
  foreign key (account_id, claimed_by) references users (account_id, id),
  check ((claimed_by is null) = (claimed_at is null)),
  check (claimed_by is distinct from created_by),
  check ((intent = 'escalate') = (assessment_status is not null))
);
create unique index ai_handoffs_open on ai_handoffs (account_id, session_id) where closed_at is null;
create index ai_handoffs_session on ai_handoffs (account_id, session_id, created_at desc, id desc);
create index ai_handoffs_claimed on ai_handoffs (account_id, claimed_at) where claimed_at is not null;
create index ai_handoffs_claimant on ai_handoffs (account_id, claimed_by, session_id) where claimed_by is not null;
-- For the counts of a week.
create index ai_handoffs_created on ai_handoffs (account_id, created_at);
-- For the sweep of pending assessments, which reads all accounts.
create index ai_handoffs_unassessed on ai_handoffs (created_at)
  where assessment_status = 'pending' or (assessment_status = 'timed_out' and assessment_lease is not null);

create table ai_outputs (
  id          uuid not null default uuidv7(),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  session_id  uuid not null,
  kind        text not null check (kind in ('resolution_summary', 'ticket_note', 'client_email', 'kb_article')),
  content     text not null check (length(content) between 1 and 100000),
  edited      boolean not null default false,
  psa_push_id uuid,
  created_by  uuid not null default app.user_id(),
  created_at  timestamptz(3) not null default app.now(),
  updated_at  timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, session_id, id),
  foreign key (account_id, session_id) references ai_sessions (account_id, id) on delete cascade,
  foreign key (account_id, created_by) references users (account_id, id)
);
create index ai_outputs_session on ai_outputs (account_id, session_id, created_at, id);

-- What a script did on a machine, as whoever ran it recorded it: in a session of a flow, or in an AI session.
create table script_runs (
  id                 uuid not null default uuidv7(),
  account_id         uuid not null default app.account_id() references accounts on delete cascade,
  session_id         uuid,
  ai_session_id      uuid,
  -- The step of the flow.
  step_id            text,
  title              text not null check (length(title) between 1 and 300),
  -- The template and its version, or the text that was run. Without a foreign key: the record stays when the template is deleted.
  script_template_id uuid,
  script_version     integer,
  -- Secret answers are replaced by a placeholder, which may be longer, so requests have lower limits.
  script             text check (length(script) <= 40000),
  approval_id        uuid,
  target             text not null check (length(target) between 1 and 255),
  -- The machine at the runner; null for a run that was recorded by hand.
  agent_id           text check (length(agent_id) <= 100),
  -- The client whose machine it was: as the runner names it, else that of the case then.
  client_name        text check (length(client_name) <= 255),
  -- Null when it is not known.
  exit_code          integer,
  output             text not null default '' check (octet_length(output) <= 131072),
  started_at         timestamptz(3) not null,
  ended_at           timestamptz(3) not null,
  run_by             uuid not null default app.user_id(),
  created_at         timestamptz(3) not null default app.now(),
  primary key (id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, ai_session_id) references ai_sessions (account_id, id) on delete cascade,
  foreign key (account_id, approval_id) references approvals (account_id, id) on delete set null (approval_id),
  foreign key (account_id, run_by) references users (account_id, id),
  check (num_nonnulls(session_id, ai_session_id) = 1),
  check (session_id is not null or step_id is null),
  check (num_nonnulls(script_template_id, script) = 1 and (script_template_id is null) = (script_version is null)),
  check (ended_at >= started_at)
);
create index script_runs_session on script_runs (account_id, session_id, created_at, id) where session_id is not null;
create index script_runs_ai_session on script_runs (account_id, ai_session_id, created_at, id) where ai_session_id is not null;
-- For the foreign keys, whose checks would read the whole table.
create index script_runs_approval on script_runs (account_id, approval_id) where approval_id is not null;
create index script_runs_agent on script_runs (account_id, agent_id, created_at desc, id desc) where agent_id is not null;
create index script_runs_client on script_runs (account_id, app.name_key(client_name), created_at desc, id desc) where client_name is not null;
create index script_runs_user on script_runs (account_id, run_by);

-- The connection of an account to the tool that runs scripts on its clients' machines.
create table runner_connections (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  provider         text not null check (provider in ('tactical_rmm')),
  base_url         text not null check (length(base_url) between 1 and 2000),
  -- Encrypted with the service's key; the account's id and the provider are authenticated with it.
  credentials      text not null check (length(credentials) <= 8000),
  last_checked_at  timestamptz(3),
  last_check_error text,
  created_by       uuid default app.user_id(),
  created_at       timestamptz(3) not null default app.now(),
  updated_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id),
  foreign key (account_id, created_by) references users (account_id, id) on delete set null (created_by)
);
create index runner_connections_creator on runner_connections (account_id, created_by);
create trigger audit after insert or update or delete on runner_connections
  for each row execute function app.audit('runner_connection', 'credentials');

-- The MCP servers whose tools the model may call in a session.
create table mcp_servers (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  -- Stands before the names of its tools.
  name             text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,19}$'),
  url              text not null check (length(url) between 1 and 2000),
  -- Encrypted with the service's key; the ids of the account and of the server are authenticated with it.
  token            text check (length(token) <= 8000),
  -- As the server described them when it was last asked: `[{"name": "…", "description": "…", "input_schema": {…}, "version": "…", "refusal": null}]`.
  tools            jsonb not null default '[]' check (jsonb_typeof(tools) = 'array'),
  -- The version in which a tool was allowed, by its name. A tool in another version is not called.
  allowed          jsonb not null default '{}' check (jsonb_typeof(allowed) = 'object'),
  last_checked_at  timestamptz(3),
  last_check_error text,
  created_by       uuid default app.user_id(),
  created_at       timestamptz(3) not null default app.now(),
  updated_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, name),
  foreign key (account_id, created_by) references users (account_id, id) on delete set null (created_by)
);
create index mcp_servers_creator on mcp_servers (account_id, created_by);
create trigger audit after insert or update or delete on mcp_servers
  for each row execute function app.audit('mcp_server', 'token', 'tools');

-- Each of them can add to every prompt.
call app.limit_rows('mcp_servers', 5);

-- Scripts that the runner was asked to run in a session. Its record in `script_runs` is inserted when it ends.
create table runner_runs (
  id                 uuid not null default uuidv7(),
  account_id         uuid not null default app.account_id() references accounts on delete cascade,
  session_id         uuid,
  ai_session_id      uuid,
  step_id            text,
  title              text not null check (length(title) between 1 and 300),
  -- Without a foreign key: the run stays when the template is deleted.
  script_template_id uuid not null,
  script_version     integer not null,
  approval_id        uuid,
  agent_id           text not null check (length(agent_id) <= 100),
  target             text check (length(target) <= 255),
  -- The client whose machine it must be. Null when the case has none.
  client_name        text check (length(client_name) <= 255),
  time_limit_seconds integer not null check (time_limit_seconds between 5 and 900),
  -- The rendered script and texts to hide in its output, encrypted with the service's key. Null when the run has ended.
  payload            text check (length(payload) <= 2000000),
  state              text not null default 'queued' constraint runner_runs_state
    check (state in ('queued', 'retrying', 'finished', 'failed', 'cancelled')),
  -- Whether nobody knows how it ended.
  is_unknown         boolean not null default false,
  -- When the runner was asked to start it, marked before the call: a run with it is never started again.
  started_at         timestamptz(3),
  finished_at        timestamptz(3),
  recorded_at        timestamptz(3),
  script_run_id      uuid,
  requested_by       uuid not null default app.user_id(),
  created_at         timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, ai_session_id) references ai_sessions (account_id, id) on delete cascade,
  foreign key (account_id, requested_by) references users (account_id, id),
  check (num_nonnulls(session_id, ai_session_id) = 1)
);
call app.attempts('runner_runs');
create index runner_runs_session on runner_runs (account_id, session_id, created_at, id) where session_id is not null;
create index runner_runs_ai_session on runner_runs (account_id, ai_session_id, created_at, id) where ai_session_id is not null;
create index runner_runs_user on runner_runs (account_id, requested_by);
-- For the sweep and the clean-up, which read every account as the platform role.
create index runner_runs_due on runner_runs (next_attempt_at) where state in ('queued', 'retrying');
create index runner_runs_age on runner_runs (finished_at);
-- An approval starts one script: one that did not start leaves it to another run.
create unique index runner_runs_approval on runner_runs (account_id, approval_id)
  where approval_id is not null and state not in ('failed', 'cancelled');

create trigger remove_notifications after delete on ai_sessions for each row execute function app.remove_notifications('/pilot/');
call app.protect('ai_sessions');
call app.protect('ai_branches');
call app.protect('ai_messages');
call app.protect('ai_message_uploads');
call app.protect('ai_steps');
call app.protect('ai_facts');
call app.protect('ai_fixes');
call app.protect('ai_handoffs');
call app.protect('ai_outputs');
call app.protect('script_runs');
call app.protect('runner_connections');
call app.protect('mcp_servers');
call app.protect('runner_runs');

grant select, insert, delete on ai_sessions to app_runtime;
grant update (title, status, problem_summary, psa_ticket_id, client_name, asset_name, issue_category, triage_hypothesis, cause_confirmed, evidence_items,
              pending_task_lane, task_lane_version, is_branching, active_branch_id, escalation_package, escalated_to_id, picked_up_by_id, state_version,
              outcome, resolution_notes, resolution, follow_up, psa_push_id, last_activity_at, updated_at, resolved_at, returns_at) on ai_sessions to app_runtime;
grant select, insert on ai_branches, ai_messages, ai_message_uploads to app_runtime;
grant select, insert, update (response, answer_work_id) on ai_steps to app_runtime;
grant select, insert, update (value, source, created_by, updated_at) on ai_facts to app_runtime;
grant select, insert, update (status, applied_at, verified_at, partial_notes, pending_reason, failure_reason, ai_drafted_script,
  ai_drafted_language, ai_drafted_parameters, ai_outcome_proposal, updated_at) on ai_fixes to app_runtime;
grant select, insert, update (claimed_by, claimed_at, picked_up_at, first_action_at, closed_at, psa_push_id) on ai_handoffs to app_runtime;
grant select, insert, update (content, edited, psa_push_id, updated_at) on ai_outputs to app_runtime;
grant select, insert on script_runs to app_runtime;
grant select, insert, update, delete on runner_connections to app_runtime;
grant select, insert, update (tools, allowed, last_checked_at, last_check_error, updated_at), delete on mcp_servers to app_runtime;
grant select, insert, update (state, payload, next_attempt_at, finished_at) on runner_runs to app_runtime;
grant select, insert, update, delete on ai_sessions, ai_branches, ai_messages, ai_message_uploads, ai_steps, ai_facts, ai_fixes,
  ai_handoffs, ai_outputs, script_runs, runner_connections, runner_runs, mcp_servers to app_platform;

-- Whether whoever worked on a session last can no longer work, and the caller is an admin of the account or of its team. They read it, hand it over and
-- close it like their own, because nobody else could.
create function app.inherits_ai_session(s ai_sessions) returns boolean language sql stable parallel safe set search_path = public, pg_temp as $$
  select (coalesce(app.role() = 'admin', false) or (coalesce(app.team_role() = 'admin', false) and s.team_id = app.team_id()))
     and exists (select from users u where u.account_id = s.account_id and u.id = coalesce(s.picked_up_by_id, s.user_id) and not app.can_work(u))
$$;
-- Whether the caller may read a session: its user, the colleague it is escalated to, who claimed it or works on it; every member while it
-- waits for a colleague; admins when its user can no longer work.
create function app.sees_ai_session(s ai_sessions) returns boolean language sql stable parallel safe set search_path = public, pg_temp as $$
  select coalesce(app.user_id() in (s.user_id, s.escalated_to_id, s.picked_up_by_id), false)
      or s.status in ('requesting_escalation', 'escalated')
      or exists (select from ai_handoffs h where h.account_id = s.account_id and h.session_id = s.id and h.claimed_by = app.user_id())
      or coalesce(app.inherits_ai_session(s), false)
$$;
-- Whether the caller owns a session: its user, the colleague who picked it up, and an admin who inherits it.
create function app.owns_ai_session(s ai_sessions) returns boolean language sql stable parallel safe set search_path = public, pg_temp as $$
  select coalesce(app.user_id() in (s.user_id, s.picked_up_by_id), false) or coalesce(app.inherits_ai_session(s), false)
$$;

-- Approvals of scripts in an AI session, which end when it ends, and follow it to the colleague who picks it up. What they have approved is
-- voided, because nobody approves their own run.
alter table approvals add foreign key (account_id, ai_session_id) references ai_sessions (account_id, id) on delete cascade;
create function app.update_approvals_of_ai_session() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  has_ended constant boolean := new.status in ('resolved', 'abandoned', 'archived');
  runner constant uuid := coalesce(new.picked_up_by_id, new.user_id);
begin
  update approvals a
     set runner_id = runner,
         state = case when has_ended or app.person_of(a.decided_by) = app.person_of(runner) then 'voided' else a.state end
   where a.account_id = new.account_id and a.ai_session_id = new.id and a.state in ('pending', 'approved');
  return null;
end $$;
create trigger update_approvals after update of status, picked_up_by_id, user_id on ai_sessions for each row
  when (new.status <> old.status or new.picked_up_by_id is distinct from old.picked_up_by_id or new.user_id <> old.user_id)
  execute function app.update_approvals_of_ai_session();

-- What somebody has claimed or picked up is escalated again when they can no longer work. Until the sweep does it, what was only claimed waits for
-- a colleague by its old handoff.
create function app.release_claims() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  with released as (
    update ai_handoffs set claimed_by = null, claimed_at = null
     where account_id = new.account_id and claimed_by = new.id and picked_up_at is null and closed_at is null
    returning session_id)
  update ai_sessions s set status = 'escalated', updated_at = app.now(), returns_at = app.now()
    from released r where s.account_id = new.account_id and s.id = r.session_id and s.status = 'claimed';
  update ai_sessions s set returns_at = app.now()
   where s.account_id = new.account_id and s.picked_up_by_id = new.id and s.status in ('active', 'parked');
  return null;
end $$;
create trigger release_claims after update of is_active, role on users for each row
  when (app.can_work(old) and not app.can_work(new)) execute function app.release_claims();

-- Inserts the main branch of a new session, whose row already has the branch's id.
create function app.begin_main_branch() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  insert into ai_branches (id, account_id, session_id, name, created_by)
    values (new.active_branch_id, new.account_id, new.id, 'Main line', new.user_id);
  return null;
end $$;
create trigger main_branch after insert on ai_sessions for each row execute function app.begin_main_branch();

-- Stores when the colleague who picked up an escalation first worked on the session. Parking, resuming and escalating do not count.
create function app.note_first_action() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update ai_handoffs set first_action_at = app.now()
   where account_id = new.account_id and session_id = new.id and claimed_by = app.user_id() and first_action_at is null
     and id = (select h.id from ai_handoffs h where h.account_id = new.account_id and h.session_id = new.id and h.picked_up_at is not null
                order by h.created_at desc, h.id desc limit 1);
  return null;
end $$;
create trigger first_action after update of last_activity_at on ai_sessions for each row
  when (new.picked_up_by_id is not null and new.picked_up_by_id = old.picked_up_by_id
        and (new.status = old.status or new.status = 'resolved'))
  execute function app.note_first_action();

-- Returns the messages of a branch, including those that it shares with its parents. With p_count, a page needs no more of each branch.
create function app.branch_messages(p_session uuid, p_branch uuid, p_after bigint default 0, p_count bigint default null)
returns setof ai_messages language sql stable
set search_path = public, pg_temp as $$
  with recursive line (id, parent_id, fork, upto) as (
    select b.id, b.parent_branch_id, b.fork_position, 9223372036854775807 from ai_branches b
     where b.account_id = app.account_id() and b.session_id = p_session and b.id = p_branch
    union all
    select p.id, p.parent_branch_id, p.fork_position, least(l.upto, l.fork) from line l
      join ai_branches p on p.account_id = app.account_id() and p.session_id = p_session and p.id = l.parent_id)
  select m.* from line l, lateral (
    select * from ai_messages n
     where n.account_id = app.account_id() and n.session_id = p_session and n.branch_id = l.id and n.position > p_after and n.position <= l.upto
     order by n.position limit p_count) m
$$;

-- Fills the empty triage fields of a session and adds new evidence. It is one statement, so that it never overwrites a concurrent edit.
-- Returns the changed fields, or null.
create function app.fill_triage(p_session uuid, p_client text, p_asset text, p_category text, p_hypothesis text, p_evidence jsonb)
returns jsonb language sql set search_path = public, pg_temp as $$
  with earlier as (
    select s.id, s.client_name, s.asset_name, s.issue_category, s.triage_hypothesis, jsonb_array_length(s.evidence_items) as items
      from ai_sessions s where s.account_id = app.account_id() and s.id = p_session and s.status not in ('resolved', 'abandoned', 'archived')
       for no key update),
  changed as (
    update ai_sessions s
       set client_name = coalesce(s.client_name, p_client), asset_name = coalesce(s.asset_name, p_asset),
           issue_category = coalesce(s.issue_category, p_category), triage_hypothesis = coalesce(s.triage_hypothesis, p_hypothesis),
           evidence_items = s.evidence_items || coalesce((
             select jsonb_agg(e.item || jsonb_build_object('created_at', app.iso(app.now()::timestamptz(3))) order by e.place) from jsonb_array_elements(p_evidence) with ordinality e (item, place)
              where e.place <= 500 - jsonb_array_length(s.evidence_items)
                and not exists (select from jsonb_array_elements(s.evidence_items) k (item)
                               where app.name_key(k.item ->> 'text') = app.name_key(e.item ->> 'text'))), '[]'),
           updated_at = app.now()
      from earlier where s.account_id = app.account_id() and s.id = earlier.id
    returning s.client_name, s.asset_name, s.issue_category, s.triage_hypothesis, s.evidence_items)
  select nullif(jsonb_strip_nulls(jsonb_build_object(
    'client_name', case when e.client_name is null then c.client_name end,
    'asset_name', case when e.asset_name is null then c.asset_name end,
    'issue_category', case when e.issue_category is null then c.issue_category end,
    'triage_hypothesis', case when e.triage_hypothesis is null then c.triage_hypothesis end,
    'evidence_items', case when jsonb_array_length(c.evidence_items) > e.items then c.evidence_items end)), '{}')
    from earlier e, changed c
$$;
