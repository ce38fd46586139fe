-- Calls to the model: their cost, the AI budget of an account per month, and stored requests.

-- One row per call. Its cost is an estimate while it runs, and stays one if the call never reports its end. Costs are in micro-dollars.
create table ai_calls (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  -- Who caused the call. Null for a job that nobody caused.
  user_id          uuid default app.user_id(),
  prompt           text not null check (length(prompt) <= 100),
  prompt_version   smallint,
  model            text not null check (length(model) <= 200),
  outcome          text not null default 'running' check (outcome in (
    'running', 'answered', 'unusable', 'truncated', 'declined', 'timed_out', 'limited', 'rejected', 'failed')),
  -- Input contains cached, output contains reasoning.
  input_tokens     integer not null default 0 check (input_tokens >= 0),
  cached_tokens    integer not null default 0 check (cached_tokens >= 0),
  output_tokens    integer not null default 0 check (output_tokens >= 0),
  reasoning_tokens integer not null default 0 check (reasoning_tokens >= 0),
  cost_micros      bigint not null check (cost_micros >= 0),
  is_estimated     boolean not null default true,
  -- The provider's id of the request.
  request_id       text check (length(request_id) <= 200),
  period_start     timestamptz(3) not null,
  created_at       timestamptz(3) not null default app.now(),
  finished_at      timestamptz(3),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create index ai_calls_period on ai_calls (account_id, period_start);
create index ai_calls_age on ai_calls (created_at);

-- Admins of the account and of its teams see every call, others their own.
call app.protect('ai_calls', writes => '{insert,update}');
create policy reads on ai_calls for select using (
  account_id = (select app.signed_account_id())
  and (user_id is not distinct from (select app.user_id()) or (select app.role()) = 'admin' or (select app.team_role()) = 'admin'));
grant select, insert, update (outcome, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, is_estimated,
  request_id, finished_at) on ai_calls to app_runtime;
grant select, insert, update, delete on ai_calls to app_platform;

-- The cost that an account has spent and reserved in the month that starts at period_start.
create table ai_budgets (
  account_id   uuid not null default app.account_id() references accounts on delete cascade,
  period_start timestamptz(3) not null,
  used_micros  bigint not null check (used_micros >= 0),
  primary key (account_id, period_start)
);
call app.protect('ai_budgets');
grant select, insert, update (used_micros) on ai_budgets to app_runtime;
grant select, insert, update, delete on ai_budgets to app_platform;

-- What all accounts without a paid subscription have spent and reserved together on a day (UTC). Accounts on trial cost nothing, so that a limit
-- per account does not limit their sum.
create table ai_unpaid_budgets (
  starts_at   timestamptz(3) primary key,
  used_micros bigint not null check (used_micros >= 0)
);
grant select, insert, update, delete on ai_unpaid_budgets to app_platform;

-- The start of a day in UTC.
create function app.utc_day(p_at timestamptz) returns timestamptz language sql immutable as $$ select date_trunc('day', p_at, 'UTC') $$;
create function app.is_unpaid(p_account uuid) returns boolean language sql stable set search_path = public, pg_temp as $$
  select app.subscription_of(a) in ('trialing', 'free') from accounts a where a.id = p_account
$$;
-- Adds to the common budget of today unless it is used up. Security definer, because no account may read it.
create function app.reserve_unpaid_ai(p_reserved bigint, p_limit bigint) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.require_scope();
  insert into ai_unpaid_budgets as b (starts_at, used_micros) select app.utc_day(app.now()), p_reserved where p_limit > 0
  on conflict (starts_at) do update set used_micros = b.used_micros + excluded.used_micros where b.used_micros < p_limit;
  return found;
end $$;
-- Replaces what was reserved on a day.
create function app.settle_unpaid_ai(p_at timestamptz, p_difference bigint) returns void
language sql security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  update ai_unpaid_budgets b set used_micros = greatest(0, b.used_micros + p_difference)
   where b.starts_at = app.utc_day(p_at) and p_difference <> 0
$$;
-- Whether the account belongs to those whose common budget of today is used up.
create function app.is_unpaid_ai_used(p_limit bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select app.is_unpaid(app.account_id())
     and (p_limit = 0 or exists (select from ai_unpaid_budgets b where b.starts_at = app.utc_day(app.now()) and b.used_micros >= p_limit))
$$;

-- Reserves the cost of a call and inserts its row. Returns null if the budget of the account is used, or the common one of unpaid accounts
-- (`p_unpaid_limit`). Concurrent callers wait for the same row lock and see
-- one another's reservations. The last allowed call can exceed the limit by its own cost. Each call that runs at that time can exceed it by
-- its cost beyond the reservation.
create function app.start_ai_call(p_prompt text, p_model text, p_reserved bigint, p_unpaid_limit bigint default null,
                                  p_prompt_version smallint default null) returns uuid
language plpgsql set search_path = public, pg_temp as $$
declare
  period constant timestamptz := (select app.quota_period(a) from accounts a where a.id = app.account_id());
  most constant bigint := app.quota_limit(app.account_id(), 'ai_cost_micros');
  -- The version before this one sends no limit.
  is_unpaid constant boolean := p_unpaid_limit is not null and app.is_unpaid(app.account_id());
  call uuid;
begin
  if is_unpaid and not app.reserve_unpaid_ai(p_reserved, p_unpaid_limit) then
    return null;
  end if;
  insert into ai_budgets as b (period_start, used_micros) select period, p_reserved where most is null or most > 0
  on conflict (account_id, period_start) do update set used_micros = b.used_micros + excluded.used_micros
    where most is null or b.used_micros < most;
  if found then
    insert into ai_calls (prompt, prompt_version, model, cost_micros, period_start)
    values (p_prompt, p_prompt_version, p_model, p_reserved, period) returning id into call;
  elsif is_unpaid then
    perform app.settle_unpaid_ai(app.now(), -p_reserved);
  end if;
  return call;
end $$;
-- Stores how a call ended, once, and replaces its reserved cost by the real one.
create function app.finish_ai_call(p_id uuid, p_outcome text, p_input integer, p_cached integer, p_output integer, p_reasoning integer,
                                   p_cost bigint, p_estimated boolean, p_request_id text) returns void
language sql set search_path = public, pg_temp as $$
  with reserved as (
    select c.id, c.cost_micros from ai_calls c where c.account_id = app.account_id() and c.id = p_id and c.outcome = 'running' for no key update),
  finished as (
    update ai_calls c
       set outcome = p_outcome, input_tokens = p_input, cached_tokens = p_cached, output_tokens = p_output, reasoning_tokens = p_reasoning,
           cost_micros = p_cost, is_estimated = p_estimated, request_id = left(p_request_id, 200), finished_at = app.now()
      from reserved r where c.account_id = app.account_id() and c.id = r.id
    returning c.period_start, c.created_at, c.cost_micros - r.cost_micros as difference),
  settled as (
    update ai_budgets b set used_micros = greatest(0, b.used_micros + f.difference)
      from finished f where b.account_id = app.account_id() and b.period_start = f.period_start)
  select app.settle_unpaid_ai(f.created_at, f.difference) from finished f where app.is_unpaid(app.account_id())
$$;

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
  finished_at      timestamptz(3),
  -- The calls to the model, which are the task's progress.
  calls_started    integer not null default 0,
  calls_answered   integer not null default 0,
  -- The answer of the operation, which can be an error.
  response_status  integer,
  response_body    text,
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
call app.attempts('ai_tasks', max => 3);
create index ai_tasks_newest on ai_tasks (account_id, user_id, created_at desc, id desc);
-- For the limit of open tasks per person.
create index ai_tasks_open on ai_tasks (account_id, user_id) where state in ('queued', 'retrying');
-- For the sweep, which reads the tasks of all accounts as the platform role.
create index ai_tasks_due on ai_tasks (next_attempt_at) where state in ('queued', 'retrying');
create index ai_tasks_age on ai_tasks (created_at);

call app.protect('ai_tasks', writes => '{insert,update}');
call app.delete_with_person('ai_tasks');
create policy reads on ai_tasks for select using (account_id = (select app.signed_account_id()) and user_id = (select app.user_id()));
grant select, insert on ai_tasks to app_runtime;
grant update (state, body, next_attempt_at, finished_at, response_status, response_body, calls_started) on ai_tasks to app_runtime;
grant select, insert, update, delete on ai_tasks to app_platform;

-- What technicians think of the model's answers, with the prompt and the model that wrote them: cases for the evaluation of prompts.

create table ai_feedback (
  id             uuid not null default uuidv7(),
  account_id     uuid not null default app.account_id() references accounts on delete cascade,
  session_id     uuid not null,
  subject        text not null check (subject in ('reply', 'step', 'fix', 'assessment')),
  subject_id     uuid not null,
  user_id        uuid not null default app.user_id(),
  helpful        boolean not null,
  -- What would have been right.
  correction     text check (length(correction) between 1 and 4000),
  -- The answer as it was read.
  answer         text not null check (length(answer) between 1 and 20000),
  -- Null for an answer whose call is no longer in the ledger.
  prompt         text check (length(prompt) <= 100),
  prompt_version smallint,
  model          text check (length(model) <= 200),
  given_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  unique (account_id, session_id, subject, subject_id, user_id),
  foreign key (account_id, session_id) references ai_sessions (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id)
);
create index ai_feedback_given on ai_feedback (account_id, given_at desc, id desc);

call app.protect('ai_feedback');
grant select, insert, update (helpful, correction, given_at) on ai_feedback to app_runtime;
grant select, insert, update, delete on ai_feedback to app_platform;

-- Returns the last answered call of the account with one of these prompts until a time. Members see their own calls only, so it runs as the owner.
create function app.find_answering_call(p_prompts text[], p_until timestamptz)
  returns table (prompt text, prompt_version smallint, model text)
  language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select c.prompt, c.prompt_version, c.model from ai_calls c
   where c.account_id = app.account_id() and c.prompt = any (p_prompts) and c.outcome = 'answered' and c.created_at <= p_until
   order by c.created_at desc limit 1
$$;
