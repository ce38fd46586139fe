-- For the limit of open tasks per person.
create index ai_tasks_open on ai_tasks (account_id, user_id) where state in ('queued', 'retrying');

-- As before, but a word that no entry contains any more is deleted. Otherwise, articles that are imported and deleted leave their words.
create or replace function app.keep_terms() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changes jsonb;
begin
  if tg_op = 'INSERT' then
    select jsonb_agg(c) into changes from (
      select a.account_id, t.term, count(*) as entries from added a, app.entry_terms(a.words) t (term) group by 1, 2) c;
  elsif tg_op = 'DELETE' then
    select jsonb_agg(c) into changes from (
      select r.account_id, t.term, -count(*) as entries from removed r, app.entry_terms(r.words) t (term) group by 1, 2) c;
  else
    select jsonb_agg(c) into changes from (
      select b.account_id, b.term, sum(b.entries) as entries from (
        select a.account_id, t.term, 1 as entries from added a, app.entry_terms(a.words) t (term)
        union all select r.account_id, t.term, -1 from removed r, app.entry_terms(r.words) t (term)) b
       group by 1, 2 having sum(b.entries) <> 0) c;
  end if;
  perform app.lock_usage(c.account_id) from (
    select distinct account_id from jsonb_to_recordset(changes) c (account_id uuid) order by 1) c;
  insert into knowledge_terms (account_id, term, entries)
  select c.account_id, c.term, c.entries from jsonb_to_recordset(changes) c (account_id uuid, term text, entries integer)
    join accounts a on a.id = c.account_id
  on conflict (account_id, term) do update set entries = knowledge_terms.entries + excluded.entries;
  delete from knowledge_terms k using jsonb_to_recordset(changes) c (account_id uuid, term text, entries integer)
   where c.entries < 0 and k.account_id = c.account_id and k.term = c.term and k.entries <= 0;
  return null;
end $$;

-- As before, but of a long text the 40 rarest words that entries contain are searched, then unknown ones. Before, they were the first 40 in
-- the order of the alphabet.
create or replace function app.find_knowledge(p_text text, p_limit integer)
returns table (tree_id uuid, import_id uuid, ai_session_id uuid, score double precision)
language plpgsql stable security definer rows 20 set search_path = public, pg_temp
-- Every step must use its index, with the values of this call.
set plan_cache_mode = force_custom_plan set enable_seqscan = off set pg_trgm.similarity_threshold = 0.45 as $$
declare
  v_entries double precision;
  v_words integer[];
  v_queries tsquery[];
  v_weights double precision[];
  v_all double precision;
  v_query tsquery;
  v_threshold double precision;
  -- The weight of a word that a fifth of the entries contain.
  v_rare constant double precision := 1.5;
  -- The share of the text's weight that an entry needs, if a word is in its title. Among few entries, rarity says little.
  v_share double precision;
  -- What ts_rank makes of one occurrence with weight 1: 6 / pi^2.
  v_one constant double precision := ts_rank('a:1'::tsvector, 'a'::tsquery) / 0.1;
begin
  perform app.require_scope();
  select coalesce(sum(k.entries), 0) into v_entries from knowledge_terms k
   where k.account_id in (app.account_id(), app.platform_account()) and k.term = '';
  v_threshold := 0.42 * ln(1 + 2 * v_entries);
  v_share := least(0.2, 0.1 * sqrt(greatest(1, 30 / greatest(v_entries, 1))));

  with input as materialized (
    select row_number() over (order by k.entries, w.word) as place, w.word, w.stem
      from app.text_words(left(p_text, 4000), app.text_dictionary(p_text)) w, lateral (
             select sum(k.entries) as entries from knowledge_terms k
              where k.account_id in (app.account_id(), app.platform_account()) and k.term in (w.word, w.stem) and k.entries > 0) k
     where w.word <> all (app.ticket_filler()) order by k.entries, w.word limit 40
  ), known as materialized (
    select i.place, t.term, sum(k.entries) as entries, 1::real as factor
      from input i, lateral (select distinct unnest(array[i.word, i.stem])) t (term), knowledge_terms k
     where k.account_id in (app.account_id(), app.platform_account()) and k.term = t.term and k.entries > 0 group by 1, 2
  ), unknown as materialized (
    select i.place, i.word from input i where length(i.word) >= 5 and i.place not in (select place from known) order by i.place limit 8
  ), found as (
    select * from known
    union all
    select u.place, s.* from unknown u, lateral (
      select k.term, sum(k.entries), similarity(k.term, u.word) from knowledge_terms k
       where k.account_id in (app.account_id(), app.platform_account()) and k.term % u.word and k.entries > 0
       group by 1 order by 3 desc, 1 limit 3) s
  ), weighted as (
    select i.place, ln(1 + (greatest(v_entries, 30) - coalesce(max(f.entries), 0) + 0.5) / (coalesce(max(f.entries), 0) + 0.5)) as weight
      from input i left join found f using (place) group by 1
  ), chosen as (
    select f.place, app.quote_term(f.term) as term, w.weight * f.factor as weight,
           sum(f.entries) over (order by f.entries, f.term, f.place) as entries
      from found f join weighted w using (place) order by f.entries, f.term, f.place limit 30
  )
  select array_agg(c.place), array_agg(c.term::tsquery), array_agg(c.weight),
         string_agg(c.term, ' | ') filter (where c.entries <= 200)::tsquery, (select sum(weight) from weighted)
    into v_words, v_queries, v_weights, v_query, v_all from chosen c;
  -- The words are so common that no entry can reach the threshold.
  if coalesce((select sum(w) from unnest(v_weights) w), 0) / 0.7 < v_threshold then
    return;
  end if;
  -- Every word is common: an entry has to contain the two rarest.
  if v_query is null then
    v_query := v_queries[1] && coalesce((
      select u.query from unnest(v_words, v_queries) with ordinality u (word, query, place) where u.word <> v_words[1]
       order by u.place limit 1), v_queries[1]);
  end if;

  return query
    with candidates as materialized (
      select e.tree_id, e.import_id, e.ai_session_id, e.words || '' as words, ts_filter(e.words, '{a}') as title from knowledge_entries e
       where e.account_id in (app.account_id(), app.platform_account()) and e.words @@ v_query limit 200
    ), points as (
      select c.*, u.word, max(u.weight * ts_rank('{0, 0.45, 0.7, 1}', c.words, u.query) / v_one) as points,
             bool_or(u.weight >= v_rare) as is_rare, bool_or(c.title @@ u.query) as is_titled
        from candidates c, unnest(v_words, v_queries, v_weights) u (word, query, weight)
       where c.words @@ u.query group by 1, 2, 3, 4, 5, 6
    ), totals as (
      select p.tree_id, p.import_id, p.ai_session_id, sum(p.points) as points, count(*) as words,
             count(*) filter (where p.is_rare) as rare_words, bool_or(p.is_titled) as is_titled,
             sum(p.points) / (0.7 + 0.3 * length(p.words) / 150.0) as score
        from points p group by 1, 2, 3, p.words
    )
    select t.tree_id, t.import_id, t.ai_session_id, t.score from totals t
     where t.score >= v_threshold and (t.rare_words >= 3 or (t.is_titled and t.words >= 2) or t.points >= 0.25 * v_all)
       and t.points >= case when t.is_titled then 1 else 1.5 end * v_share * least(v_all, 40)
     order by 4 desc, 1, 2, 3 limit p_limit;
end $$;
