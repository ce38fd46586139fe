-- migrate: backfill
-- Inserts the entries of rows that are older than the triggers. A row is locked against its deletion until its entry is stored.
insert into search_entries (account_id, type, id, step_id, words)
select * from (
  select t.account_id, 'flow', t.id, '', app.flow_search(t) from trees t
   where t.deleted_at is null and (t.account_id <> app.platform_account() or t.status = 'published')
     and not exists (select from search_entries e where e.account_id = t.account_id and e.type = 'flow' and e.id = t.id)
   limit 200 for key share of t) flows
union all select * from (
  select t.account_id, 'step', t.id, s.id,
         app.search_words(app.search_tag(t.account_id, 'step'), s.title, null, s.description, app.search_readers(t.visibility, t.author_id, t.team_id))
    from trees t join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version, app.list_steps(v.tree_structure) s
   where t.status = 'published' and t.deleted_at is null
     and not exists (select from search_entries e where e.account_id = t.account_id and e.type = 'step' and e.id = t.id and e.step_id = s.id)
   limit 200 for key share of t) steps
union all select * from (
  select s.account_id, 'library_step', s.id, '', app.library_step_search(s) from library_steps s
   where s.is_active and s.source_tree_id is null
     and not exists (select from search_entries e where e.account_id = s.account_id and e.type = 'library_step' and e.id = s.id)
   limit 200 for key share of s) library_steps
union all select * from (
  select s.account_id, 'script', s.id, '', app.script_search(s) from script_templates s
   where not exists (select from search_entries e where e.account_id = s.account_id and e.type = 'script' and e.id = s.id)
   limit 200 for key share of s) scripts
union all select * from (
  select s.account_id, 'session', s.id, '', app.session_search(s) from sessions s
   where not exists (select from search_entries e where e.account_id = s.account_id and e.type = 'session' and e.id = s.id)
   limit 1000 for key share of s) sessions
union all select * from (
  select s.account_id, 'ai_session', s.id, '', app.ai_session_search(s) from ai_sessions s
   where not exists (select from search_entries e where e.account_id = s.account_id and e.type = 'ai_session' and e.id = s.id)
   limit 1000 for key share of s) ai_sessions
union all select * from (
  select i.account_id, 'article', i.id, '', app.article_search(i) from kb_imports i
   where not exists (select from search_entries e where e.account_id = i.account_id and e.type = 'article' and e.id = i.id)
   limit 50 for key share of i) articles
union all select * from (
  select d.account_id, 'diagram', d.id, '', app.diagram_search(d) from network_diagrams d
   where not d.is_archived and not exists (select from search_entries e where e.account_id = d.account_id and e.type = 'diagram' and e.id = d.id)
   limit 200 for key share of d) diagrams
on conflict do nothing
