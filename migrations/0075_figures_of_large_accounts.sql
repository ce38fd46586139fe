-- One person's completed sessions, and one flow's sessions with what is counted of them, are read from an index alone.
create index sessions_user_completed on sessions (account_id, user_id, completed_at) include (started_at, outcome) where completed_at is not null;
drop index sessions_tree_started;
create index sessions_tree_started on sessions (account_id, tree_id, started_at) include (state, completed_at);
drop index sessions_started;
create index sessions_started on sessions (account_id, started_at) include (user_id);
-- The index of a person's sessions by their start begins with the same columns.
drop index sessions_user;

-- Each of so many days of the caller's, today the last of them.
create function app.days_of(p_days integer) returns table (date text, start timestamptz, until timestamptz)
language sql stable parallel safe rows 90 set search_path = public, pg_temp as $$
  select to_char(d.day, 'YYYY-MM-DD'), d.day at time zone u.timezone, (d.day + interval '1 day') at time zone u.timezone
    from users u, lateral (
      select date_trunc('day', app.now() at time zone u.timezone) - make_interval(days => n) as day from generate_series(0, p_days - 1) n) d
   where u.account_id = app.account_id() and u.id = app.user_id()
$$;

-- Whose session was rated stands beside the score, so that one person's are found without looking at everybody's sessions.
alter table session_ratings add column session_user_id uuid;
update session_ratings r set session_user_id = s.user_id from sessions s where s.account_id = r.account_id and s.id = r.session_id;
alter table session_ratings alter column session_user_id set not null;
alter table session_ratings add foreign key (account_id, session_user_id) references users (account_id, id);
create index session_ratings_user on session_ratings (account_id, session_user_id, rated_at) include (score);
drop index session_ratings_rated;
create index session_ratings_rated on session_ratings (account_id, rated_at) include (score);
