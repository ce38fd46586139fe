-- A session is created before it starts and completed after that: what bounds its start or its end from above bounds its place in the
-- list as well, so that a page of long ago is found without reading everything newer.
create or replace function app.find_sessions(
  p_ticket text, p_client text, p_tree text, p_started_after timestamptz, p_started_before timestamptz,
  p_completed_after timestamptz, p_completed_before timestamptz, p_batch uuid, p_skip integer, p_limit integer)
returns setof uuid language plpgsql stable security definer rows 50 set search_path = public, pg_temp as $$
begin
  return query execute
    'select s.id from sessions s
      where s.account_id = app.account_id()
        and ($1 is null or lower(s.ticket_number) like lower($1))
        and ($2 is null or lower(s.client_name) like lower($2))
        and ($3 is null or lower(s.tree_name) like lower($3))
        and ($4 is null or s.started_at >= $4) and ($5 is null or (s.started_at <= $5 and s.created_at <= $5))
        and ($6 is null or s.completed_at >= $6) and ($7 is null or (s.completed_at <= $7 and s.created_at <= $7))
        and ($8 is null or s.batch_id = $8)
      order by s.created_at desc, s.id desc offset $9 limit $10'
    using p_ticket, p_client, p_tree, p_started_after, p_started_before, p_completed_after, p_completed_before, p_batch, p_skip, p_limit;
end $$;
