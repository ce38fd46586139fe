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
