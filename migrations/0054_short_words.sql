-- A part without three letters in a row names nothing to look for in the index of words, and would have all of it read: rows are looked at
-- for such a part, newest first or as the other parts find them.
create or replace function app.find_sessions(
  p_ticket text, p_client text, p_tree text, p_started_after timestamptz, p_started_before timestamptz,
  p_completed_after timestamptz, p_completed_before timestamptz, p_batch uuid, p_skip integer, p_limit integer)
returns setof uuid language plpgsql stable security definer rows 50 set search_path = public, pg_temp as $$
declare
  has_words constant text := '[[:alnum:]]{3}';
  -- What is appended keeps the index out of it.
  ticket constant text := case when p_ticket !~ has_words then ' || ''''' else '' end;
  client constant text := case when p_client !~ has_words then ' || ''''' else '' end;
  tree constant text := case when p_tree !~ has_words then ' || ''''' else '' end;
begin
  return query execute
    'select s.id from sessions s
      where s.account_id = app.account_id()
        and ($1 is null or lower(s.ticket_number)' || ticket || ' like lower($1))
        and ($2 is null or lower(s.client_name)' || client || ' like lower($2))
        and ($3 is null or lower(s.tree_name)' || tree || ' like lower($3))
        and ($4 is null or s.started_at >= $4) and ($5 is null or (s.started_at <= $5 and s.created_at <= $5))
        and ($6 is null or s.completed_at >= $6) and ($7 is null or (s.completed_at <= $7 and s.created_at <= $7))
        and ($8 is null or s.batch_id = $8)
      order by s.created_at desc, s.id desc offset $9 limit $10'
    using p_ticket, p_client, p_tree, p_started_after, p_started_before, p_completed_after, p_completed_before, p_batch, p_skip, p_limit;
end $$;
