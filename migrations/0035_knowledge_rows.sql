-- migrate: backfill
-- Inserts the words of sources that are older than the triggers.
insert into knowledge_entries (account_id, tree_id, import_id, ai_session_id, words)
select * from (
  select t.account_id, t.id, null::uuid, null::uuid, app.flow_knowledge(t) from trees t
   where t.status = 'published' and t.deleted_at is null
     and not exists (select from knowledge_entries e where e.account_id = t.account_id and e.tree_id = t.id)
  union all
  select i.account_id, null, i.id, null, app.article_knowledge(i) from kb_imports i
   where not exists (select from knowledge_entries e where e.account_id = i.account_id and e.import_id = i.id)
  union all
  select s.account_id, null, null, s.id, app.session_knowledge(s) from ai_sessions s
   where s.status = 'resolved' and s.outcome <> 'not_reproducible'
     and not exists (select from knowledge_entries e where e.account_id = s.account_id and e.ai_session_id = s.id)
) missing (account_id, tree_id, import_id, ai_session_id, words)
 where words is not null limit 200
on conflict do nothing
