-- Approvals: what a colleague must approve before an answer of a step counts, or before a script of a certain risk is rendered.
create table approvals (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  session_id       uuid not null,
  kind             text not null check (kind in ('step', 'script')),
  -- Where the session was: an approval counts for this step of this run only.
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
  approver_roles   text[] not null check (approver_roles <@ '{engineer,team_admin,account_admin}'),
  approver_ids     uuid[] not null check (cardinality(approver_ids) <= 20),
  -- The team and the user of the session.
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
  check ((kind = 'script') = (script_id is not null) and (kind = 'script') = (script_version is not null) and (kind = 'script') = (risk is not null)),
  check ((decided_by is null) = (decided_at is null)),
  check (state not in ('approved', 'rejected', 'used') or decided_by is not null)
);
create index approvals_session on approvals (account_id, session_id, requested_at desc, id desc);
-- What waits for a decision: one request per step, and one per script.
create unique index approvals_pending on approvals (account_id, session_id, kind, coalesce(script_id, session_id)) where state = 'pending';
create index approvals_requester on approvals (account_id, requested_by);
create index approvals_decider on approvals (account_id, decided_by) where decided_by is not null;
-- For the sweep, which reads those of all accounts as the platform role.
create index approvals_due on approvals (expires_at) where state = 'pending';
create trigger audit after insert or update of state on approvals
  for each row execute function app.audit('approval', 'title', 'subject', 'digest', 'comment', 'decision_comment');

call app.protect('approvals');
grant select, insert, update (state, expires_at, decided_by, decided_at, decision_comment) on approvals to app_runtime;
grant select, insert, update, delete on approvals to app_platform;

-- Whether a user may decide an approval now. Nobody decides about their own run, or about their own request.
create function app.may_decide(a approvals, u users) returns boolean language sql stable as $$
  select u.is_active and u.role <> 'viewer' and u.id not in (a.runner_id, a.requested_by)
     and (u.id = any (a.approver_ids) or 'engineer' = any (a.approver_roles)
          or ('account_admin' = any (a.approver_roles) and u.role = 'admin')
          or ('team_admin' = any (a.approver_roles) and u.team_role = 'admin' and u.team_id = a.team_id))
$$;

-- Ends the open approvals of a session that moves or ends, whatever the cause. An approved script stays approved: its rendering checks the
-- position of the session.
create function app.void_approvals() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update approvals set state = 'voided'
   where account_id = new.account_id and session_id = new.id and (state = 'pending' or (state = 'approved' and kind = 'step'));
  return null;
end $$;
create trigger void_approvals after update of state, current_step_id, answered on sessions for each row
  when (new.state <> old.state or new.answered <> old.answered or new.current_step_id is distinct from old.current_step_id)
  execute function app.void_approvals();

-- As before, and removes the user from the titles of approvals, and from the messages of webhooks about them.
create or replace function app.erase_traces(p_user uuid, p_limit integer) returns boolean language plpgsql set search_path = public, pg_temp as $$
declare
  pattern constant text := '^.*?( escalated: | picked up your escalation| proposed a flow: | joined the account| asks for your approval: | approved: | rejected: )';
  replacement constant text := 'Deleted user\1';
  keys constant text[] := '{session.escalated,handoff.claimed,proposal.submitted,member.joined,approval.requested,approval.decided}';
  v_account constant uuid := (select account_id from users where id = p_user);
  event_ids constant uuid[] := array(
    select id from events
     where account_id = v_account and actor_id = p_user and key = any (keys) and title ~ pattern and not starts_with(title, 'Deleted user ')
     limit p_limit / 4);
  n integer;
  is_full boolean := cardinality(event_ids) = p_limit / 4;
begin
  update notifications set title = regexp_replace(title, pattern, replacement) where account_id = v_account and event_id = any (event_ids);
  update events set title = regexp_replace(title, pattern, replacement) where account_id = v_account and id = any (event_ids);
  delete from notifications where ctid = any (array(select ctid from notifications where account_id = v_account and user_id = p_user limit p_limit));
  get diagnostics n = row_count;
  is_full := is_full or n = p_limit;
  update audit_logs set ip = null where ctid = any (array(
    select ctid from audit_logs where account_id = v_account and actor_id = p_user and ip is not null limit p_limit));
  get diagnostics n = row_count;
  is_full := is_full or n = p_limit;
  update webhook_deliveries
     set payload = jsonb_set(payload::jsonb, '{data}', app.remove_names(payload::jsonb -> 'data', p_user))::text, response_body = null
   where ctid = any (array(
     select ctid from webhook_deliveries
      where account_id = v_account and type = any (keys) and payload like '%' || p_user || '%'
        and app.remove_names(payload::jsonb -> 'data', p_user) <> payload::jsonb -> 'data' limit p_limit));
  get diagnostics n = row_count;
  is_full := is_full or n = p_limit;
  if not is_full then
    update users set traces_erased_at = app.now() where id = p_user;
  end if;
  return is_full;
end $$;

create or replace function app.remove_names(p_data jsonb, p_user uuid) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(d.key, case when n.id_key is null then d.value else '"Deleted user"' end), '{}')
    from jsonb_each(p_data) d
    left join (values ('engineer_name', 'engineer_id'), ('claimant_name', 'claimed_by'), ('submitter_name', 'submitted_by'), ('name', 'user_id'),
                      ('requester_name', 'requested_by'), ('approver_name', 'decided_by'))
      n (name_key, id_key) on n.name_key = d.key and p_data ->> n.id_key = p_user::text
$$;

alter table stream_events drop constraint stream_events_event_check,
  add constraint stream_events_event_check
  check (event in ('handoff_created', 'handoff_assessment_ready', 'ai_task_finished', 'ticket_changed', 'approval_changed')) not valid;

-- How much harm a script can do. A script of medium or high risk is rendered only in a session, after an approval.
-- It belongs to the template, not to a version, so that restoring a version does not lower it.
alter table script_templates add column risk text not null default 'low';
alter table script_templates add constraint script_templates_risk check (risk in ('low', 'medium', 'high')) not valid;
grant update (risk) on script_templates to app_runtime;
