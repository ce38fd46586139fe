-- What an account's open streams are still to be told: a row is written with its cause, and goes when the hub has it.
create table stream_events (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  event      text not null check (event in ('handoff_created', 'handoff_assessment_ready')),
  data       jsonb not null check (jsonb_typeof(data) = 'object'),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id)
);
-- The sweep reads every account at once, through the platform door.
create index stream_events_waiting on stream_events (created_at);

alter table stream_events enable row level security;
alter table stream_events force row level security;
create policy own on stream_events using (account_id = app.account_id()) with check (account_id = app.account_id());
grant select, insert, delete on stream_events to app_runtime;
grant select, insert, update, delete on stream_events to app_platform;

-- Of people with open streams, the sign-ins that app.enter would still let in; their places in both lists belong together.
create function app.still_let_in(p_account uuid, p_users uuid[], p_sign_ins uuid[], p_access text, p_feature text) returns setof uuid
language plpgsql set search_path = public, pg_temp as $$
begin
  for n in 1 .. cardinality(p_users) loop
    begin
      perform app.enter_feature(p_users[n], p_account, p_sign_ins[n], p_access, 'none', '', p_feature);
      return next p_sign_ins[n];
    exception when sqlstate 'SF401' or sqlstate 'SF403' or sqlstate 'SF4PW' or sqlstate 'SF4EV' or sqlstate 'SF4SL' or sqlstate 'SF4FD' then
      null;
    end;
  end loop;
end $$;

alter table ai_handoffs
  -- How often a worker took the assessment on: one that crashed may be followed by one more.
  add column assessment_attempts smallint not null default 0 check (assessment_attempts between 0 and 2);

-- The queue's: what waits for a colleague is found by the session's state.
create index ai_sessions_waiting on ai_sessions (account_id, id) where status in ('requesting_escalation', 'escalated', 'claimed');
drop index ai_handoffs_queue;

-- The first thing that whoever picked an escalation up does with the session: anything but laying it aside, taking it up or passing it on.
create or replace function app.note_first_action() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update ai_handoffs set first_action_at = app.now()
   where account_id = new.account_id and session_id = new.id and claimed_by = app.user_id() and first_action_at is null
     and id = (select h.id from ai_handoffs h where h.account_id = new.account_id and h.session_id = new.id and h.picked_up_at is not null
                order by h.created_at desc, h.id desc limit 1);
  return null;
end $$;
drop trigger first_action on ai_sessions;
create trigger first_action after update of last_activity_at on ai_sessions for each row
  when (new.picked_up_by_id is not null and new.picked_up_by_id = old.picked_up_by_id and (new.status = old.status or new.status = 'resolved'))
  execute function app.note_first_action();
