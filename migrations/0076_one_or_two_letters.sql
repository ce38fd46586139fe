-- The index of words knows parts of three letters and more. This one knows a part of one or two, "z" or 東京: whatever letter a text has
-- begins a word of its pairs, "zebra" being " ze br a  eb ra ".
create function app.pairs(p_text text) returns text language sql immutable parallel safe as $$
  select ' ' || regexp_replace(lower(p_text), '(..)', '\1 ', 'g') || ' ' || regexp_replace(substr(lower(p_text), 2), '(..)', '\1 ', 'g')
$$;
create index sessions_pairs on sessions
  using gin (account_id, app.pairs(ticket_number) gin_trgm_ops, app.pairs(client_name) gin_trgm_ops, app.pairs(tree_name) gin_trgm_ops);

-- What is true of a column that has a part somewhere in it, asked of the index that knows parts of its length.
create function app.has_part(p_column text, p_part text, p_parameter text) returns text language sql stable parallel safe as $$
  select case
    when p_part is null then ''
    when p_part ~ '[[:alnum:]]{3}' then format(' and lower(s.%I) like lower(%s)', p_column, p_parameter)
    else format(' and lower(s.%I) || '''' like lower(%s)', p_column, p_parameter)
      || coalesce((select format(' and app.pairs(s.%I) like %L', p_column, '% ' || r[1] || '%')
                     from regexp_matches(lower(p_part), '[[:alnum:]]{1,2}', 'g') r order by length(r[1]) desc limit 1), '')
  end
$$;

create or replace function app.find_sessions(
  p_ticket text, p_client text, p_tree text, p_started_after timestamptz, p_started_before timestamptz,
  p_completed_after timestamptz, p_completed_before timestamptz, p_batch uuid, p_skip integer, p_limit integer)
returns setof uuid language plpgsql stable security definer rows 50 set search_path = public, pg_temp as $$
begin
  return query execute
    'select s.id from sessions s
      where s.account_id = app.account_id()'
        || app.has_part('ticket_number', p_ticket, '$1')
        || app.has_part('client_name', p_client, '$2')
        || app.has_part('tree_name', p_tree, '$3') || '
        and ($4 is null or s.started_at >= $4) and ($5 is null or (s.started_at <= $5 and s.created_at <= $5))
        and ($6 is null or s.completed_at >= $6) and ($7 is null or (s.completed_at <= $7 and s.created_at <= $7))
        and ($8 is null or s.batch_id = $8)
      order by s.created_at desc, s.id desc offset $9 limit $10'
    using p_ticket, p_client, p_tree, p_started_after, p_started_before, p_completed_after, p_completed_before, p_batch, p_skip, p_limit;
end $$;
