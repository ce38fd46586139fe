-- Figures are counted from sessions by the day they began or ended, in the asker's time zone.
create index session_ratings_rated on session_ratings (account_id, rated_at);
create index session_step_feedback_given on session_step_feedback (account_id, given_at);
create index sessions_user_started on sessions (account_id, user_id, started_at);
create index sessions_tree_started on sessions (account_id, tree_id, started_at);

-- When a period of so many days, today the last of them, began for the caller.
create function app.period_start(p_days integer) returns timestamptz language sql stable parallel safe set search_path = public, pg_temp as $$
  select (date_trunc('day', app.now() at time zone u.timezone) - make_interval(days => p_days - 1)) at time zone u.timezone
    from users u where u.account_id = app.account_id() and u.id = app.user_id()
$$;
