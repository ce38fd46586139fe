-- Search across everything of an account: one entry per thing that can be found, with its words. Triggers write the entries, so that no
-- operation can forget them.
create table search_entries (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  type       text not null check (type in ('flow', 'step', 'library_step', 'script', 'session', 'ai_session', 'article', 'diagram')),
  -- The row that is found. A step has the id of its flow.
  id         uuid not null,
  step_id    text not null default '',
  -- Each word starts with a tag of the account and the type. So a word, and each word with a prefix, has a list of its own in the index for each
  -- account and type. A tag, a space and 'all' or an id says who may see the row.
  words      tsvector not null,
  primary key (account_id, type, id, step_id)
);
-- Without a list of pending insertions, which every search would read completely.
create index search_entries_words on search_entries using gin (words) with (fastupdate = off);

-- Only app.find_entries reads the words for a request.
call app.protect('search_entries');
grant select (account_id) on search_entries to app_runtime;
grant select, insert, update, delete on search_entries to app_platform;

-- Returns the tag of the words of an account and a type. Equal tags of two accounts only cost time.
create function app.search_tag(p_account uuid, p_type text) returns text language sql immutable parallel safe
  as $$ select left(md5(p_account::text || p_type), 8) $$;
-- Returns a code of letters and digits as its parts, or null for another word: KB5034441 is "kb 5034441", and 4250dn "4250 dn". A hash is none.
create function app.split_code(p_word text) returns text language sql immutable parallel safe as $$
  select nullif(regexp_replace(p_word, '^(?:([[:alpha:]]{1,10})([[:digit:]]{1,12})([[:alpha:]]{0,3})|([[:digit:]]{1,12})([[:alpha:]]{1,10}))$',
                               '\1\4 \2\5 \3'), p_word)
$$;
-- Returns the start of a text as it is split into words. NodeNotReady is also three words, and EAP245 two. The rest of a long text adds little,
-- and would make its save slow.
create function app.search_text(p_text text) returns text language sql immutable parallel safe as $$
  select app.fold(left(p_text, 30000) || case when p_text ~ '[[:lower:]][[:upper:]]'
    then ' ' || regexp_replace(left(p_text, 30000), '([[:lower:]])([[:upper:]])', '\1 \2', 'g') else '' end)
    || case when p_text ~ '[[:alpha:]][[:digit:]]|[[:digit:]][[:alpha:]]' then coalesce((
         select ' ' || string_agg(app.split_code(m[1]), ' ')
           from regexp_matches(app.fold(left(p_text, 30000)), '\m([[:alnum:]]{2,25})\M', 'g') m), '') else '' end
$$;
-- Returns the pairs of characters in the parts of a text whose script has no spaces between words: 共享打印机 has 共享, 享打, 打印, 印机.
create function app.pair_characters(p_text text) returns setof text language sql immutable parallel safe rows 10 as $$
  select substr(m[1], i, 2)
    from regexp_matches(p_text, U&'[\3040-\30FF\3400-\4DBF\4E00-\9FFF\AC00-\D7AF\F900-\FAFF\+020000-\+03FFFF]+', 'g') m,
         generate_series(1, greatest(1, length(m[1]) - 1)) i
$$;
-- Returns what a text has beside its words: chunks of more than one word ("srv-01.contoso.local", "T20261122.0042", "10.20.30.40"), names without
-- their apostrophe ("obrien"), names with signs at their end ("c++", "c#"), and pairs of characters.
create function app.search_chunks(p_text text) returns setof text language sql immutable parallel safe rows 10 as $$
  select left(c.chunk, 60)
    from regexp_matches(p_text, '[[:alnum:]]+(?:[^[:alnum:][:space:]]+[[:alnum:]]+)+', 'g') m,
         lateral (select m[1] as chunk union select replace(m[1], '''', '') where m[1] like '%''%') c
  union all select m[1] from regexp_matches(p_text, '\m([[:alpha:]]{1,20}(?:\+\+|#))(?![[:alnum:]])', 'g') m
  union all select * from app.pair_characters(p_text)
$$;
-- Returns who sees a row, as app.sees decides.
create function app.search_readers(p_visibility text, p_author uuid, p_team uuid) returns text[] language sql immutable parallel safe as $$
  select case when p_visibility in ('account', 'public') then '{all}'
              when p_visibility = 'team' then array_remove(array[p_author::text, p_team::text, 'admins'], null)
              else array[p_author::text] end
$$;
-- Returns the words of one text, as written and as their stems.
create function app.weigh_words(p_text text, p_language regconfig, p_weight "char") returns tsvector language sql immutable parallel safe as $$
  select setweight(to_tsvector('simple', t.plain) || to_tsvector(p_language, t.plain), p_weight)
    from (select regexp_replace(p_text, '[^[:alnum:]]+', ' ', 'g') as plain) t
$$;
-- Returns the words of an entry: its title, what it is for, its body, and who sees it.
create function app.search_words(p_tag text, p_title text, p_purpose text, p_body text, p_readers text[]) returns tsvector
language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
declare
  v_title constant text := app.search_text(coalesce(p_title, ''));
  v_purpose constant text := app.search_text(coalesce(p_purpose, ''));
  v_body constant text := app.search_text(coalesce(p_body, ''));
  -- A short text says little about its language.
  v_language constant regconfig := case when length(v_purpose) + length(v_body) < 300 then 'english'
    else replace(app.text_dictionary(v_title || ' ' || v_purpose || ' ' || v_body)::text, '_stem', '')::regconfig end;
begin
  return (
    select coalesce(string_agg(app.quote_term(p_tag || t.term) || ':1' || t.weight, ' '), '')
        || (select string_agg(' ' || app.quote_term(p_tag || ' ' || r), '') from unnest(p_readers) r)
      from (
        select w.term, min(w.weight) as weight from (
          select left(l.lexeme, 60) as term, l.weights[1] as weight
            from unnest(app.weigh_words(v_title, v_language, 'A') || app.weigh_words(v_purpose, v_language, 'B')
                        || app.weigh_words(v_body, v_language, 'C')) l
          union all select c, 'A' from app.search_chunks(v_title) c
          union all select c, 'B' from app.search_chunks(v_purpose) c
          union all select c, 'C' from app.search_chunks(v_body) c) w group by 1) t)::tsvector;
end $$;

-- Returns the steps of a flow, in no order, with their titles. Options and the end of a procedure are no steps.
create function app.list_steps(p_structure jsonb) returns table (id text, title text, description text) language sql immutable parallel safe as $$
  select distinct on (1) s ->> 'id', t.title, s ->> 'description'
    from jsonb_path_query(p_structure, 'strict $.** ? (@.type() == "object" && exists (@.id) && !(@.type == "procedure_end"))') s,
         lateral (select coalesce(nullif(s ->> 'title', ''), nullif(s ->> 'action', ''), nullif(s ->> 'solution', '')) as title) t
   where t.title is not null
$$;

-- Each function returns the words of a row, or null for a row that is not found.
create function app.flow_search(t trees) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.search_words(app.search_tag(t.account_id, 'flow'), t.name, array_to_string(t.tags, ' '), t.description,
                          app.search_readers(t.visibility, t.author_id, t.team_id))
   where t.deleted_at is null and (t.account_id <> app.platform_account() or t.status = 'published')
$$;
create function app.library_step_search(s library_steps) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.search_words(app.search_tag(s.account_id, 'library_step'), s.title, null, s.description,
                          app.search_readers(s.visibility, s.created_by, s.team_id))
   where s.is_active and s.source_tree_id is null
$$;
create function app.script_search(s script_templates) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.search_words(app.search_tag(s.account_id, 'script'), s.name, s.description, s.script_body,
                          case when s.account_id = app.platform_account() then '{all}'
                               else app.search_readers(case when s.is_shared then 'account' else 'team' end, s.created_by, s.team_id) end)
$$;
-- The names and machines of the scripts that ran in a case.
create function app.script_run_words(p_account uuid, p_case uuid) returns text language sql stable set search_path = public, pg_temp as $$
  select string_agg(concat_ws(' ', r.title, r.target), E'\n' order by r.created_at, r.id) from script_runs r
   where r.account_id = p_account and (r.session_id = p_case or r.ai_session_id = p_case)
$$;
create function app.session_search(s sessions) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.search_words(app.search_tag(s.account_id, 'session'), concat_ws(' ', s.ticket_number, s.client_name),
                          concat_ws(' ', s.tree_name, s.target_label), concat_ws(' ', s.notes, s.next_steps, app.script_run_words(s.account_id, s.id)), '{all}')
$$;
create function app.ai_session_search(s ai_sessions) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.search_words(
    app.search_tag(s.account_id, 'ai_session'), concat_ws(' ', s.title, s.psa_ticket_id, s.client_name, s.asset_name),
    concat_ws(' ', s.problem_summary, s.issue_category), concat_ws(' ', s.triage_hypothesis, s.resolution_notes, s.resolution, app.script_run_words(s.account_id, s.id)),
    case when s.status in ('requesting_escalation', 'escalated') then '{all}'
         else array_remove(array[s.user_id, s.escalated_to_id, s.picked_up_by_id]::text[], null)
              || array(select distinct h.claimed_by::text from ai_handoffs h
                        where h.account_id = s.account_id and h.session_id = s.id and h.claimed_by is not null) end)
$$;
create function app.article_search(i kb_imports) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.search_words(app.search_tag(i.account_id, 'article'), i.title, null,
                          (select string_agg(b.item ->> 'text', E'\n') from jsonb_array_elements(i.blocks) b (item)),
                          app.search_readers('team', i.created_by, i.team_id))
$$;
-- The labels and addresses of a diagram's nodes.
create function app.node_texts(p_nodes jsonb) returns text language sql immutable parallel safe as $$
  select string_agg(n #>> '{}', E'\n') from jsonb_path_query(p_nodes, 'lax $[*].data.* ? (@.type() == "string")') n
$$;
create function app.diagram_search(d network_diagrams) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.search_words(app.search_tag(d.account_id, 'diagram'), concat_ws(' ', d.name, d.client_name),
                          concat_ws(' ', d.asset_name, d.description), app.node_texts(d.nodes),
                          app.search_readers('team', d.created_by, d.team_id))
   where not d.is_archived
$$;

-- Stores the words of one row, or removes them. Unchanged words are not written again.
create function app.put_search_entry(p_account uuid, p_type text, p_id uuid, p_words tsvector) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if p_words is null then
    delete from search_entries e where e.account_id = p_account and e.type = p_type and e.id = p_id;
  else
    insert into search_entries (account_id, type, id, words) values (p_account, p_type, p_id, p_words)
    on conflict (account_id, type, id, step_id) do update set words = excluded.words where search_entries.words <> excluded.words;
  end if;
end $$;
-- Stores the words of the steps of a published flow in one version, and removes those of any other flow. Steps that have the same texts in
-- `p_previous`, and an entry, are not read again.
create function app.put_step_entries(t trees, p_structure jsonb, p_is_published boolean, p_previous jsonb) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  v_tag constant text := app.search_tag(t.account_id, 'step');
  v_readers constant text[] := app.search_readers(t.visibility, t.author_id, t.team_id);
  v_structure constant jsonb := case when p_is_published and t.deleted_at is null then p_structure end;
begin
  delete from search_entries e
   where e.account_id = t.account_id and e.type = 'step' and e.id = t.id and e.step_id not in (select s.id from app.list_steps(v_structure) s);
  insert into search_entries (account_id, type, id, step_id, words)
  select t.account_id, 'step', t.id, s.id, app.search_words(v_tag, s.title, null, s.description, v_readers)
    from app.list_steps(v_structure) s left join app.list_steps(p_previous) p on p.id = s.id
   where (p.title, p.description) is distinct from (s.title, s.description)
      or not exists (select from search_entries e where e.account_id = t.account_id and e.type = 'step' and e.id = t.id and e.step_id = s.id)
  on conflict (account_id, type, id, step_id) do update set words = excluded.words where search_entries.words <> excluded.words;
end $$;

-- Security definer, because the runtime role does not write the entries. The account is that of the changed row.
create function app.keep_flow_steps() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.put_step_entries(new, (select v.tree_structure from tree_versions v
    where v.account_id = new.account_id and v.tree_id = new.id and v.version = new.version), new.status = 'published', null);
  return null;
end $$;
create function app.keep_step_search() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- An import also inserts earlier versions.
  perform app.put_step_entries(t, new.tree_structure, new.status = 'published', (
      select v.tree_structure from tree_versions v
       where v.account_id = new.account_id and v.tree_id = new.tree_id and v.version < new.version order by v.version desc limit 1))
    from trees t
    where t.account_id = new.account_id and t.id = new.tree_id and t.version <= new.version;
  return null;
end $$;
-- Who claims a handoff of a session may see it.
create function app.keep_claimed_session() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.put_search_entry(s.account_id, 'ai_session', s.id, app.ai_session_search(s)) from ai_sessions s
    where s.account_id = new.account_id and s.id = new.session_id;
  return null;
end $$;
-- The scripts that ran in a case are found with it.
create function app.keep_case_of_run() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r constant script_runs := coalesce(new, old);
begin
  perform app.put_search_entry(s.account_id, 'session', s.id, app.session_search(s)) from sessions s
    where s.account_id = r.account_id and s.id = r.session_id;
  perform app.put_search_entry(s.account_id, 'ai_session', s.id, app.ai_session_search(s)) from ai_sessions s
    where s.account_id = r.account_id and s.id = r.ai_session_id;
  return null;
end $$;
-- Stores the words of a row, which app.<type>_search returns. The argument is the type.
create function app.keep_search_entry() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  words tsvector;
begin
  execute format('select app.%I($1)', tg_argv[0] || '_search') into words using new;
  perform app.put_search_entry(new.account_id, tg_argv[0], new.id, words);
  return null;
end $$;
-- Removes the entries of a deleted row. The argument is their type.
create function app.drop_search_entries() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from search_entries e where e.account_id = old.account_id and e.type = tg_argv[0] and e.id = old.id;
  return null;
end $$;
-- Has the rows of a table found as a type: their words are stored when a row is inserted or one of the columns `changes` gets another value, and
-- removed with the row.
create procedure app.index_search(indexed regclass, type text, changes text[] default '{}') language plpgsql as $$
begin
  execute format('create trigger search after insert on %s for each row execute function app.keep_search_entry(%L)', indexed, type);
  execute format('create trigger search_deleted after delete on %s for each row execute function app.drop_search_entries(%L)', indexed, type);
  if changes <> '{}' then
    execute format(
      'create trigger search_changed after update on %s for each row when ((%s) is distinct from (%s)) execute function app.keep_search_entry(%L)',
      indexed, (select string_agg(format('old.%I', c), ', ') from unnest(changes) c),
      (select string_agg(format('new.%I', c), ', ') from unnest(changes) c), type);
  end if;
end $$;
revoke execute on procedure app.index_search(regclass, text, text[]) from app_runtime, app_platform;

-- Builds the conditions of a search, in which a space stands for the tag of an account and a type: `matching` for all words and `ranking` for any
-- word. The last word is a prefix. Stop words do not count beside other words. With `p_similar` a word also stands for words of the account's
-- flows, articles and solutions that are spelled nearly like it. With `p_partly` one word of three may be missing, two of five and three of eight,
-- as in a pasted message. `marks` are the words to mark in a text; one with an asterisk is a prefix.
create function app.search_conditions(p_text text, p_similar boolean, p_partly boolean, out matching text, out ranking text, out marks text[])
language sql stable set search_path = public, pg_temp as $$
  with chunks as materialized (
    select left(m[1], 60) as chunk, place, place = max(place) over () as is_last, m[1] ~ '^[[:alnum:]]+$' as is_word,
           m[1] ~ '^[[:alpha:]]+(\+\+|#)$' as has_sign
      from regexp_matches(app.fold(p_text), '[[:alpha:]]{1,20}(?:\+\+|#)(?![[:alnum:]])|[[:alnum:]](?:[^[:space:]]*[[:alnum:]])?', 'g')
           with ordinality m (m, place) order by place limit 10
  ), stems as materialized (
    select c.place, bool_or(x.lexemes = '{}') as is_stop_word, array_agg(distinct x.lexemes[1]) filter (where length(x.lexemes[1]) > 3 and x.lexemes[1] <> c.chunk) as terms
      from chunks c, lateral (
        select ts_lexize(d, c.chunk) as lexemes
          from unnest('{english_stem,german_stem,french_stem,spanish_stem,italian_stem,portuguese_stem,dutch_stem,danish_stem,swedish_stem}'::regdictionary[]) d
      ) x where c.chunk ~ '^[[:alpha:]]+$' group by 1
  ), counted as materialized (
    select c.*, s.terms as stems from chunks c left join stems s using (place)
     where not coalesce(s.is_stop_word, false) or not exists (
       select from chunks left join stems using (place) where not coalesce(is_stop_word, false))
  ), terms as materialized (
    select place, app.quote_term(' ' || chunk) || case when is_last then ':*' else '' end as term, chunk || case when is_last then '*' else '' end as mark
      from counted
    union select place, app.quote_term(' ' || stem), stem || '*' from counted, unnest(stems) stem
    union select c.place, '(' || string_agg(app.quote_term(' ' || p.part) || case when c.is_last and p.place = p.last then ':*' else '' end, '&') || ')',
                 min(p.part)
            from counted c, lateral (
              select m[1] as part, place, max(place) over () as last
                from regexp_matches(c.chunk, '[[:alnum:]]+', 'g') with ordinality m (m, place)) p
           -- The numbers of an address or a version mean nothing in another order.
           where not c.is_word and not c.has_sign and c.chunk ~ '[[:alpha:]]' group by 1
    union select c.place, '(' || string_agg(app.quote_term(' ' || p.part) || case when c.is_last and p.place = p.last then ':*' else '' end, '&') || ')',
                 min(c.chunk)
            from counted c, lateral (
              select part, place, max(place) over () as last
                from regexp_split_to_table(btrim(app.split_code(c.chunk)), ' ') with ordinality s (part, place)) p
           where c.is_word group by 1
    union select c.place, '(' || string_agg(app.quote_term(' ' || p) || case when length(p) = 1 then ':*' else '' end, '&') || ')', min(c.chunk)
            from counted c, app.pair_characters(c.chunk) p group by 1
    union select c.place, app.quote_term(' ' || app.fold(k.term)), app.fold(k.term)
            from counted c, lateral (
              -- Two letters in the wrong order, then any other difference.
              select distinct t.term, 1::real as similarity from knowledge_terms t, generate_series(1, length(c.chunk) - 1) i
               where t.account_id in (app.account_id(), app.platform_account()) and t.entries > 0
                 and t.term = left(c.chunk, i - 1) || substr(c.chunk, i + 1, 1) || substr(c.chunk, i, 1) || substr(c.chunk, i + 2)
              union
              select t.term, similarity(t.term, c.chunk) from knowledge_terms t
               where t.account_id in (app.account_id(), app.platform_account()) and t.entries > 0 and t.term % c.chunk
                 and left(t.term, 1) = left(c.chunk, 1) and abs(length(t.term) - length(c.chunk)) <= 2
               order by 2 desc, 1 limit 3) k
           where p_similar and c.is_word and length(c.chunk) >= 4 and c.chunk !~ '[0-9]'
  )
  , words as materialized (
    select '(' || string_agg(term, '|') || ')' as alternatives, row_number() over (order by place) as n, count(*) over ()::integer as all_words
      from terms group by place
  )
  select case when not p_partly then (select string_agg(alternatives, '&') from words)
              else (select string_agg(needed, '|') from (
                      select '(' || string_agg(w.alternatives, '&') || ')' as needed
                        from generate_series(0, 1023) choice (bits), words w
                       where bits < 1 << w.all_words and w.all_words >= 3
                         and bit_count(bits::bit(10)) = w.all_words - case when w.all_words >= 8 then 3 when w.all_words >= 5 then 2 else 1 end
                         and bits & (1 << (w.n - 1)::integer) > 0
                       group by bits) c) end,
         string_agg(term, '|'), array_agg(mark)
    from terms
$$;

-- Returns the last id that a row could have that was created at a share of the time between two rows, or null for ids without a time.
create function app.id_between(p_first uuid, p_last uuid, p_share double precision) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from uuid_extract_timestamp(p_first)
                       + p_share * (uuid_extract_timestamp(p_last) - uuid_extract_timestamp(p_first))) * 1000)::bigint), 12, '0')
          || repeat('f', 20))::uuid
$$;
-- Returns the best entries of one type of an account, with a bound on the entries that are read. These are, where all of them match:
-- 1. the newest 500. A word of every twenty-fifth entry, which would have a long list in the index, needs no more.
-- 2. otherwise, if samples show that many older entries match, 500 entries from the newest of these samples back;
-- 3. otherwise 1,500 entries of the list in the index, which is then short.
create function app.find_entries_of(p_account uuid, p_type text, p_matching text, p_ranking text, p_limit integer)
returns table (id uuid, step_id text, score double precision)
language plpgsql stable rows 20 set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off set jit = off as $$
declare
  v_tag constant text := app.search_tag(p_account, p_type);
  -- Admins also find what only members who can no longer work could read. The policies decide which of it they see.
  v_readers constant text := (
    select string_agg(app.quote_term(v_tag || ' ' || r), '|') from (
      select unnest(array['all', app.user_id()::text, app.team_id()::text, case when app.role() = 'admin' then 'admins' end])
      union all
      (select u.id::text from users u
        where u.account_id = p_account and not app.can_work(u) and (app.role() = 'admin' or app.team_role() = 'admin') order by u.id desc limit 500)
    ) readers (r) where r is not null);
  v_query constant tsquery := format('(%s)&(%s)', replace(p_matching, ' ', v_tag), v_readers)::tsquery;
  v_ranking constant tsquery := replace(p_ranking, ' ', v_tag)::tsquery;
begin
  return query
    with newest as materialized (
      select e.id, e.step_id, e.words, e.words @@ v_query as is_found from search_entries e
       where e.account_id = p_account and e.type = p_type order by e.id desc, e.step_id desc limit 500
    ), rest as materialized (
      select (select f.id from search_entries f where f.account_id = p_account and f.type = p_type order by f.id, f.step_id limit 1) as first_id,
             (select n.id from newest n order by n.id limit 1) as last_id
       where (select count(*) = 500 and count(*) filter (where n.is_found) < 20 from newest n)
    ), samples as materialized (
      select s.* from rest r, generate_series(1, 40) n, lateral (
        select e.id, e.words @@ v_query as is_found from search_entries e
         where e.account_id = p_account and e.type = p_type and e.id <= app.id_between(r.first_id, r.last_id, n / 40.0)
         order by e.id desc, e.step_id desc limit 1) s
    ), older as materialized (
      select s.id from samples s where s.is_found and (select count(*) from samples c where c.is_found) >= 4 order by 1 desc limit 1
    ), found as (
      select n.id, n.step_id, n.words from newest n where n.is_found
      union
      select * from (
        select e.id, e.step_id, e.words from older o, lateral (
          select * from search_entries w where w.account_id = p_account and w.type = p_type and w.id <= o.id
           order by w.id desc, w.step_id desc limit 500) e where e.words @@ v_query) w
      union
      select i.id, i.step_id, i.words from (
        select e.account_id, e.type, e.id, e.step_id, e.words from search_entries e
         where (select count(*) from rest) = 1 and (select count(*) from older) = 0 and e.words @@ v_query limit 1500) i
       where i.account_id = p_account and i.type = p_type
    )
    select f.id, f.step_id,
           ts_rank('{0, 0.2, 0.5, 1}', f.words, v_ranking)
             * (1 + 0.2 / (1 + extract(epoch from app.now() - coalesce(uuid_extract_timestamp(f.id), app.now())) / 2592000))
      from found f order by 3 desc, 1 desc, 2 limit p_limit;
end $$;

-- Returns the entries that fit a search and that the caller should see, best first. Each further entry of a type counts less, so that many
-- sessions do not hide the one flow. Security definer, because @@ is not leakproof; the caller joins the ids to the rows that the policies show.
create function app.find_entries(p_text text, p_types text[], p_limit integer)
returns table (place bigint, account_id uuid, type text, id uuid, step_id text, score double precision, marks text[])
language plpgsql stable security definer rows 50 set search_path = public, pg_temp as $$
declare
  -- Types that other operations show to this caller.
  v_types constant text[] := array(
    select t from unnest(p_types) t
     where case t when 'article' then app.role() <> 'viewer' and app.feature_on(app.account_id(), 'kb_import')
                  when 'diagram' then app.feature_on(app.account_id(), 'network_diagrams')
                  when 'ai_session' then app.feature_on(app.account_id(), 'ai_sessions') else true end);
  v_conditions record;
begin
  perform app.require_scope();
  for v_try in 0..2 loop
    select * into v_conditions from app.search_conditions(p_text, p_similar => v_try > 0, p_partly => v_try = 2);
    exit when v_conditions.matching is null;
    return query
      select row_number() over (order by f.counted desc, f.type, f.id desc, f.step_id), f.account_id, f.type, f.id, f.step_id, f.counted, v_conditions.marks
        from (
          select a.account_id, t.type, e.id, e.step_id,
                 e.score / (0.75 + 0.25 * row_number() over (partition by t.type order by e.score desc, e.id desc, e.step_id)) as counted
            from unnest(v_types) t (type), (values (app.account_id()), (app.platform_account())) a (account_id),
                 lateral app.find_entries_of(a.account_id, t.type, v_conditions.matching, v_conditions.ranking, p_limit) e
           where a.account_id = app.account_id() or t.type in ('flow', 'step', 'script')
        ) f order by 1 limit p_limit;
    exit when found;
  end loop;
end $$;
revoke execute on function app.find_entries_of(uuid, text, text, text, integer) from app_runtime;

-- Returns the part of a text around the first marked word, in one line.
create function app.cut_snippet(p_text text, p_marks text[]) returns text language plpgsql stable parallel safe
set search_path = public, pg_temp as $$
declare
  v_text constant text := regexp_replace(btrim(left(p_text, 30000), E' \t\r\n'), '\s+', ' ', 'g');
  v_pattern constant text := (
    select '\m(' || string_agg(regexp_replace(rtrim(m, '*'), '([^[:alnum:]])', '\\\1', 'g'), '|') || ')' from unnest(p_marks) m);
  v_start constant integer := greatest(1, regexp_instr(app.fold(v_text), v_pattern) - 60);
  v_part text := substr(v_text, v_start, 200);
begin
  if v_start > 1 then
    v_part := '…' || regexp_replace(v_part, '^\S{0,30} ', '');
  end if;
  if length(v_text) >= v_start + 200 then
    v_part := regexp_replace(v_part, ' \S{0,30}$', '') || '…';
  end if;
  return v_part;
end $$;

call app.index_search('trees', 'flow', changes => '{status,visibility,author_id,team_id,deleted_at,name,description,tags}');
call app.index_search('script_templates', 'script', changes => '{name,description,script_body,is_shared,created_by,team_id}');
call app.index_search('sessions', 'session', changes => '{ticket_number,client_name,notes,next_steps}');
call app.index_search('ai_sessions', 'ai_session', changes => '{title,psa_ticket_id,client_name,asset_name,problem_summary,issue_category,
  triage_hypothesis,resolution_notes,resolution,status,user_id,escalated_to_id,picked_up_by_id}');
call app.index_search('kb_imports', 'article');
call app.index_search('network_diagrams', 'diagram',
  changes => '{name,description,client_name,asset_name,nodes,is_archived,created_by,team_id}');
create trigger search after update of claimed_by on ai_handoffs for each row when (old.claimed_by is distinct from new.claimed_by)
  execute function app.keep_claimed_session();
create trigger search after insert or delete on script_runs for each row execute function app.keep_case_of_run();
-- The steps of a flow follow from its versions and from who sees it. Those of a new version are stored with it.
create trigger search after insert on tree_versions for each row execute function app.keep_step_search();
create trigger search_steps after update on trees for each row
  when ((old.status, old.visibility, old.author_id, old.team_id, old.deleted_at)
        is distinct from (new.status, new.visibility, new.author_id, new.team_id, new.deleted_at))
  execute function app.keep_flow_steps();
create trigger search_steps_deleted after delete on trees for each row execute function app.drop_search_entries('step');
-- The steps of flows are in the library too, many at once. They are found as steps.
create trigger search after insert or update on library_steps for each row when (new.source_tree_id is null)
  execute function app.keep_search_entry('library_step');
create trigger search_deleted after delete on library_steps for each row when (old.source_tree_id is null)
  execute function app.drop_search_entries('library_step');
