-- Approvals: what a colleague must approve before an answer of a step counts, or before a script of a certain risk is rendered.
create table approvals (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  -- The case: a session of a flow, or an AI session.
  session_id       uuid,
  ai_session_id    uuid,
  kind             text not null check (kind in ('step', 'script')),
  -- Where the session was: an approval counts for this step of this run only. An AI session has no such place.
  step_id          text,
  seq              integer not null,
  -- SHA-256 of what is approved. A change of it needs another approval.
  digest           text not null check (length(digest) = 43),
  title            text not null check (length(title) <= 1000),
  -- The text of the step or the script, with placeholders for secrets.
  subject          text not null check (octet_length(subject) <= 400000),
  -- The template of a script. Without a foreign key: the record stays when the template is deleted.
  script_id        uuid,
  script_version   integer,
  risk             text check (risk in ('medium', 'high')),
  -- Why the script has this risk.
  risk_reasons     jsonb not null default '[]' check (jsonb_typeof(risk_reasons) = 'array'),
  -- The machine on which a script will run, with its name and its client at the runner. Null for a step, and for the text of a script.
  agent_id         text check (length(agent_id) <= 100),
  target           text check (length(target) <= 255),
  client_name      text check (length(client_name) <= 255),
  approver_roles   text[] not null check (approver_roles <@ '{engineer,team_admin,account_admin}'),
  approver_ids     uuid[] not null check (cardinality(approver_ids) <= 20),
  -- The team and the user of the case.
  team_id          uuid,
  runner_id        uuid not null,
  valid_minutes    integer not null check (valid_minutes between 1 and 10080),
  comment          text check (length(comment) <= 2000),
  state            text not null default 'pending' check (state in ('pending', 'approved', 'rejected', 'expired', 'voided', 'used')),
  requested_by     uuid not null default app.user_id(),
  requested_at     timestamptz(3) not null default app.now(),
  -- When the request ends or, once approved, the approval.
  expires_at       timestamptz(3) not null,
  decided_by       uuid,
  decided_at       timestamptz(3),
  decision_comment text check (length(decision_comment) <= 2000),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade,
  foreign key (account_id, requested_by) references users (account_id, id),
  foreign key (account_id, decided_by) references users (account_id, id),
  check (num_nonnulls(session_id, ai_session_id) = 1),
  check (ai_session_id is null or (kind = 'script' and step_id is null and seq = 0)),
  check ((kind = 'script') = (script_id is not null) and (kind = 'script') = (script_version is not null) and (kind = 'script') = (risk is not null)),
  check (num_nonnulls(agent_id, target, client_name) in (0, 3) and (agent_id is null or kind = 'script')),
  check ((decided_by is null) = (decided_at is null)),
  check (state not in ('approved', 'rejected', 'used') or decided_by is not null)
);
create index approvals_session on approvals (account_id, session_id, requested_at desc, id desc) where session_id is not null;
create index approvals_ai_session on approvals (account_id, ai_session_id, requested_at desc, id desc) where ai_session_id is not null;
-- One request per step or script that waits or is approved. A request that waits for the commit of the approval is refused too.
create unique index approvals_pending on approvals (account_id, coalesce(session_id, ai_session_id), kind, coalesce(script_id, session_id), seq,
  coalesce(step_id, ''), coalesce(agent_id, ''))
  where state in ('pending', 'approved');
create index approvals_requester on approvals (account_id, requested_by);
create index approvals_decider on approvals (account_id, decided_by) where decided_by is not null;
-- For the sweep, which reads those of all accounts as the platform role.
create index approvals_due on approvals (expires_at) where state = 'pending';
create trigger audit after insert or update of state on approvals
  for each row execute function app.audit('approval', 'title', 'subject', 'digest', 'comment', 'decision_comment');

call app.protect('approvals');
grant select, insert, update (state, runner_id, expires_at, decided_by, decided_at, decision_comment) on approvals to app_runtime;
grant select, insert, update, delete on approvals to app_platform;

-- The person that a user acts for: who created an API key, or the user. Security definer, because members cannot read the keys.
create function app.person_of(p_user uuid) returns uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select coalesce((select k.created_by from api_keys k where k.account_id = app.account_id() and k.id = p_user), p_user)
$$;

-- Whether somebody else runs the session and has requested the approval. Nobody decides about their own run or their own request, also not through
-- an API key: whoever created a key counts as its runs, requests and decisions do.
create function app.is_of_others(a approvals, u users) returns boolean language sql stable as $$
  select u.id not in (a.runner_id, a.requested_by)
     and app.person_of(u.id) not in (app.person_of(a.runner_id), app.person_of(a.requested_by))
$$;
-- Whether an approval names a user, or their role, and they can work.
create function app.is_asked(a approvals, u users) returns boolean language sql stable as $$
  select app.can_work(u)
     and (u.id = any (a.approver_ids) or 'engineer' = any (a.approver_roles)
          or ('account_admin' = any (a.approver_roles) and u.role = 'admin')
          or ('team_admin' = any (a.approver_roles) and u.team_role = 'admin' and u.team_id = a.team_id))
$$;
-- Whether an approval asks for the decision of a user who can decide it now.
create function app.is_approver(a approvals, u users) returns boolean language sql stable as $$
  select app.is_asked(a, u) and app.is_of_others(a, u)
$$;
-- Whether a user may decide an approval now: an approver, and an account admin when no approver is left. Other roles include the account admins.
create function app.may_decide(a approvals, u users) returns boolean language sql stable as $$
  select app.is_approver(a, u)
      or (u.role = 'admin' and app.can_work(u) and app.is_of_others(a, u) and a.approver_roles <@ '{team_admin}'
          and not exists (select from users o where o.account_id = a.account_id and app.is_approver(a, o)
                             and (o.id = any (a.approver_ids) or (o.team_role = 'admin' and o.team_id = a.team_id))))
$$;

-- Ends the open approvals of a session that moves or ends, whatever the cause. An approved script stays approved: its rendering checks the
-- position of the session, and so does the start of its run.
create function app.void_approvals() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update approvals set state = 'voided'
   where account_id = new.account_id and session_id = new.id and (state = 'pending' or (state = 'approved' and kind = 'step'));
  return null;
end $$;
create trigger void_approvals after update of state, current_step_id, answered on sessions for each row
  when (new.state <> old.state or new.answered <> old.answered or new.current_step_id is distinct from old.current_step_id)
  execute function app.void_approvals();

-- What names the user of a session follows it to another user: its approvals, its rating, and the session of the sub-flow that it waits for.
-- What that user has approved is voided, because nobody approves their own run.
create function app.follow_session_user() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update approvals a
     set runner_id = new.user_id,
         state = case when app.person_of(a.decided_by) = app.person_of(new.user_id) then 'voided' else a.state end
   where a.account_id = new.account_id and a.session_id = new.id and a.state in ('pending', 'approved');
  update session_ratings r set session_user_id = new.user_id where r.account_id = new.account_id and r.session_id = new.id;
  update sessions c set user_id = new.user_id, assigned_at = new.assigned_at
   where c.account_id = new.account_id and c.id = new.subflow_session_id;
  return null;
end $$;
create trigger follow_user after update of user_id on sessions for each row
  when (new.user_id <> old.user_id) execute function app.follow_session_user();
