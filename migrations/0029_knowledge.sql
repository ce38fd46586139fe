-- The sources of a diagnosis: published flows, knowledge articles and resolved AI sessions, as words that a problem is compared with.
-- Triggers store the words, so that no operation can forget them.
create table knowledge_entries (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  tree_id       uuid,
  import_id     uuid,
  ai_session_id uuid,
  words         tsvector not null,
  primary key (id),
  unique (account_id, id),
  unique (account_id, tree_id),
  unique (account_id, import_id),
  unique (account_id, ai_session_id),
  foreign key (account_id, tree_id) references trees (account_id, id) on delete cascade,
  foreign key (account_id, import_id) references kb_imports (account_id, id) on delete cascade,
  foreign key (account_id, ai_session_id) references ai_sessions (account_id, id) on delete cascade,
  check (num_nonnulls(tree_id, import_id, ai_session_id) = 1)
);
-- Without a list of pending insertions, which every search would read completely.
create index knowledge_entries_words on knowledge_entries using gin (account_id, words) with (fastupdate = off);

-- The number of an account's entries in which a word occurs. A rare word says more about a problem than a common one, and a search that starts from
-- the rare words reads few entries. The empty word counts all entries.
create table knowledge_terms (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  term       text not null,
  entries    integer not null,
  primary key (account_id, term)
) with (fillfactor = 80);
-- For words that no entry contains exactly: misspelled, inflected or compound ones.
create index knowledge_terms_similar on knowledge_terms using gin (account_id, term gin_trgm_ops) with (gin_pending_list_limit = 64);

call app.protect('knowledge_entries');
call app.protect('knowledge_terms');
grant select on knowledge_entries, knowledge_terms to app_runtime;
grant select, insert, update, delete on knowledge_entries, knowledge_terms to app_platform;

-- Returns the dictionary of the language in which a text is written: the one that knows most of its words as stop words.
create function app.text_dictionary(p_text text) returns regdictionary language sql immutable parallel safe as $$
  select coalesce((
    select d.dictionary
      from (select distinct w[1] as word from regexp_matches(left(lower(p_text), 3000), '[[:alpha:]]+', 'g') w) words,
           (values (1, 'english_stem'::regdictionary), (2, 'german_stem'), (3, 'french_stem'), (4, 'spanish_stem'), (5, 'italian_stem'),
                   (6, 'portuguese_stem'), (7, 'dutch_stem'), (8, 'danish_stem'), (9, 'swedish_stem')) d (place, dictionary)
     where ts_lexize(d.dictionary, words.word) = '{}'
     group by d.place, d.dictionary order by count(*) desc, d.place limit 1), 'english_stem')
$$;

-- Splits the start of a text into words: each as written (`simple`) and as its stem, without stop words. NodeNotReady is also three words.
-- The rest of a long text adds little to its words, and would make its first save slow.
create function app.text_words(p_text text, p_dictionary regdictionary) returns table (word text, stem text)
language sql immutable parallel safe as $$
  select w.lexeme, coalesce((ts_lexize(p_dictionary, w.lexeme))[1], w.lexeme)
    from unnest(to_tsvector('simple', left(p_text, 30000) || ' '
                || regexp_replace(left(p_text, 30000), '([[:lower:]])([[:upper:]])', '\1 \2', 'g'))) w
   where length(w.lexeme) between 2 and 60 and w.lexeme !~ '^[0-9.]+$' and ts_lexize(p_dictionary, w.lexeme) is distinct from '{}'
$$;
-- Words that occur in tickets of every kind. They say nothing about the problem, even if few entries contain them.
create function app.ticket_filler() returns text[] language sql immutable parallel safe as $$
  select regexp_split_to_array(btrim('
    able actually already also always anymore another anyone anything asap asks back better came can cannot caller call change changed
    changing client colleague come comes could customer did different does done end ends even every everybody everyone everything find
    fine first fix get gets getting give go goes going good got guys happen happens happened hello help hi however issue issues just keep
    keeps know last like look looks made make many may maybe much must need needs never new next nobody nothing now number often ok okay
    old one ones open opens people person please possible problem problems put really reports right said say says see seems send since
    solution some somebody someone something sometimes soon start started starts still stop stops suddenly suggest sure take takes tell
    thank thanks thing things think though ticket time times today tomorrow told tried try trying two use used user users uses using via
    want way we week well went whole without work worked working works would wrong yes yesterday yet bitte danke fehler gerade gestern
    hallo heute hilfe immer kunde mehr morgen neue neuen problem schon seit aujourd bonjour bonsoir client depuis encore erreur hier matin
    merci nouveau plus problème ayuda buenos cliente desde error favor gracias hola hoy mañana nuevo problema todavía', E' \n'), '\s+')
$$;

-- Quotes a word for a tsvector or tsquery literal.
create function app.quote_term(p_term text) returns text language sql immutable parallel safe
  as $$ select '''' || replace(replace(p_term, '\', '\\'), '''', '''''') || '''' $$;
-- Returns the words of the three texts of an entry: its title, its description and its body.
create function app.knowledge_words(p_title text, p_description text, p_body text) returns tsvector
language sql immutable parallel safe as $$
  with language as materialized (select app.text_dictionary(concat_ws(' ', p_title, p_description, p_body)) as dictionary),
  texts (weight, content) as (values ('A', p_title), ('B', p_description), ('C', p_body)),
  terms as (
    select distinct on (t.term) t.term, texts.weight from language, texts,
           lateral app.text_words(coalesce(texts.content, ''), language.dictionary) w, unnest(array[w.word, w.stem]) t (term)
     order by t.term, texts.weight)
  select coalesce((select string_agg(app.quote_term(term) || ':1' || weight, ' ' order by term) from terms)::tsvector, ''::tsvector)
$$;

-- Stores the words of one source, or removes them when the source no longer counts as knowledge. Unchanged words are not written again.
create function app.put_knowledge(p_account uuid, p_tree uuid, p_import uuid, p_session uuid, p_words tsvector) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  stored constant tsvector := (
    select e.words from knowledge_entries e
     where e.account_id = p_account and (e.tree_id = p_tree or e.import_id = p_import or e.ai_session_id = p_session));
begin
  if p_words is not distinct from stored then
    return;
  end if;
  if p_words is null then
    delete from knowledge_entries e
     where e.account_id = p_account and (e.tree_id = p_tree or e.import_id = p_import or e.ai_session_id = p_session);
  elsif stored is not null then
    update knowledge_entries e set words = p_words
     where e.account_id = p_account and (e.tree_id = p_tree or e.import_id = p_import or e.ai_session_id = p_session);
  else
    insert into knowledge_entries (account_id, tree_id, import_id, ai_session_id, words)
    values (p_account, p_tree, p_import, p_session, p_words) on conflict do nothing;
  end if;
end $$;
create function app.flow_knowledge(t trees) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.knowledge_words(t.name, concat_ws(E'\n', t.description, array_to_string(t.tags, ' '), v.category), (
           select string_agg(texts.value #>> '{}', E'\n') from jsonb_path_query(v.tree_structure,
             'strict $.** ? (@.type() == "object").keyvalue()
                ? (@.key like_regex "^(title|description|action|solution|label)$").value') texts (value)))
    from tree_versions v
   where v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version and v.tree_structure is not null
     and t.status = 'published' and t.deleted_at is null
$$;
create function app.article_knowledge(i kb_imports) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.knowledge_words(i.title, null, (select string_agg(b.item ->> 'text', E'\n') from jsonb_array_elements(i.blocks) b (item)))
$$;
create function app.session_knowledge(s ai_sessions) returns tsvector language sql stable set search_path = public, pg_temp as $$
  select app.knowledge_words(s.title, concat_ws(E'\n', s.problem_summary, s.issue_category),
         concat_ws(E'\n', s.triage_hypothesis, s.resolution_notes, (
           select string_agg(f.title, E'\n') from ai_fixes f
            where f.account_id = s.account_id and f.session_id = s.id and f.status in ('applied_success', 'applied_partial'))))
   where s.status = 'resolved' and s.outcome <> 'not_reproducible'
$$;

-- Security definer, because the runtime role does not write these tables. The account is that of the changed row.
create function app.keep_flow_knowledge() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.put_knowledge(t.account_id, t.id, null, null, app.flow_knowledge(t)) from trees t
    where t.account_id = new.account_id and t.id = case tg_table_name when 'trees' then new.id else (to_jsonb(new) ->> 'tree_id')::uuid end;
  return null;
end $$;
create trigger knowledge after insert on tree_versions for each row execute function app.keep_flow_knowledge();
create trigger knowledge after update of status, deleted_at, version, name, description, tags on trees for each row
  when ((old.status, old.deleted_at, old.version, old.name, old.description, old.tags)
        is distinct from (new.status, new.deleted_at, new.version, new.name, new.description, new.tags))
  execute function app.keep_flow_knowledge();
create function app.keep_article_knowledge() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.put_knowledge(new.account_id, null, new.id, null, app.article_knowledge(new));
  return null;
end $$;
create trigger knowledge after insert on kb_imports for each row execute function app.keep_article_knowledge();
create function app.keep_session_knowledge() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform app.put_knowledge(new.account_id, null, null, new.id, app.session_knowledge(new));
  return null;
end $$;
create trigger knowledge after update of status on ai_sessions for each row
  when (old.status <> new.status and 'resolved' in (old.status, new.status))
  execute function app.keep_session_knowledge();

-- The words of an entry, and the empty word.
create function app.entry_terms(p_words tsvector) returns setof text language sql immutable parallel safe as $$
  select '' union all select lexeme from unnest(p_words)
$$;
-- Updates the counts of words of one entry, under the lock that also guards the account's other counters, at the commit. An account that is
-- being deleted has no counts. A word that no entry contains any more is deleted.
create function app.keep_terms() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_account constant uuid := case when tg_op = 'DELETE' then old.account_id else new.account_id end;
  v_added constant text[] := case when tg_op <> 'DELETE' then array(select app.entry_terms(new.words)) end;
  v_removed constant text[] := case when tg_op <> 'INSERT' then array(select app.entry_terms(old.words)) end;
begin
  perform app.lock_usage(v_account);
  insert into knowledge_terms (account_id, term, entries)
  select a.id, c.term, sum(c.change) from accounts a, (
    select term, 1 as change from unnest(v_added) term union all select term, -1 from unnest(v_removed) term) c
   where a.id = v_account group by 1, 2 having sum(c.change) <> 0
  on conflict (account_id, term) do update set entries = knowledge_terms.entries + excluded.entries;
  delete from knowledge_terms k where k.account_id = v_account and k.term = any (v_removed) and k.entries <= 0;
  return null;
end $$;
create constraint trigger terms after insert or update or delete on knowledge_entries deferrable initially deferred
  for each row execute function app.keep_terms();

-- Returns the entries of the account and the platform that fit a problem, best first. Of a long text, the 40 rarest words that entries contain
-- are searched, then unknown ones. The weight of a word depends on its rarity and on where it occurs. An entry must meet three conditions:
-- 1. It shares three rare words with the text, or two words of which one is in its title, or a quarter of the text's weight.
-- 2. It shares 15 % of the text's weight, or a tenth if a word is in its title. Among few entries, it must share more.
-- 3. Its score reaches a threshold that chance does not explain. The threshold grows with the number of entries.
-- Security definer, because @@ and % are not leakproof; the caller joins the ids to the rows that the policies show.
create function app.find_knowledge(p_text text, p_limit integer)
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
      from input i left join found f using (place)
     -- An id, version or address that no entry contains says nothing about the problem.
     where f.place is not null or i.word !~ '[0-9]' group by 1
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
