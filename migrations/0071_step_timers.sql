-- The timer of the step at which a session waits. A session has one, which each step with a timer starts anew.
create table session_timers (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  -- The position of the session. A timer of another position reminds nobody.
  step_id    text not null,
  seq        integer not null,
  due_at     timestamptz(3) not null,
  state      text not null default 'waiting' check (state in ('waiting', 'sent', 'stopped')),
  primary key (account_id, session_id),
  foreign key (account_id, session_id) references sessions (account_id, id) on delete cascade
);
-- For the sweep, which reads those of all accounts as the platform role.
create index session_timers_due on session_timers (due_at) where state = 'waiting';

call app.protect('session_timers');
grant select, insert, update on session_timers to app_runtime;
grant select, insert, update, delete on session_timers to app_platform;

-- The time zone, or UTC if PostgreSQL does not know it.
create function app.known_timezone(p_timezone text) returns text language plpgsql stable parallel safe set search_path = public, pg_temp as $$
begin
  perform now() at time zone p_timezone;
  return p_timezone;
exception when invalid_parameter_value then
  return 'UTC';
end $$;

-- Returns the next time at which clocks in a zone show a time of day. A time that the zone skips is as much later.
create function app.next_time_of_day(p_time time, p_zone text) returns timestamptz language sql stable parallel safe as $$
  select min(candidate) from (
    select ((app.now() at time zone z.name)::date + days + p_time) at time zone z.name as candidate
      from (select app.known_timezone(p_zone) as name) z, generate_series(0, 1) days) c
   where candidate > app.now()
$$;
