-- Sub-flows: a step that runs another flow in a session of its own. Links in flows, which a job checks.

-- The flows that the current published version of a flow runs. A trigger keeps them, so that every way to save a flow is covered.
create table tree_subflows (
  account_id       uuid not null references accounts on delete cascade,
  tree_id          uuid not null,
  child_account_id uuid not null,
  child_tree_id    uuid not null,
  primary key (account_id, tree_id, child_tree_id),
  foreign key (account_id, tree_id) references trees (account_id, id) on delete cascade,
  foreign key (child_account_id, child_tree_id) references trees (account_id, id) on delete cascade,
  check (child_account_id in (account_id, app.platform_account()))
);
create index tree_subflows_child on tree_subflows (child_account_id, child_tree_id);
call app.protect('tree_subflows', writes => '{insert,update,delete}');
create policy reads on tree_subflows for select
  using (account_id = (select app.signed_account_id()) or (app.account_id() is not null and account_id = app.platform_account()));
grant select on tree_subflows to app_runtime;
grant select, insert, update, delete on tree_subflows to app_platform;

-- Returns what prevents a flow from running these flows: `cycle` for each that runs the flow itself, and `depth` without an id if more than
-- 5 levels of sub-flows would result. Other flows may belong to colleagues, so every flow of the account counts, whoever sees it.
create function app.find_subflow_problems(p_account uuid, p_tree uuid, p_children uuid[])
returns table (child_tree_id uuid, problem text) language sql stable set search_path = public, pg_temp as $$
  with recursive edges as (
    select e.tree_id, e.child_tree_id as child from tree_subflows e
      join trees t on t.account_id = e.account_id and t.id = e.tree_id and t.deleted_at is null
     where e.account_id in (p_account, app.platform_account()) and e.tree_id is distinct from p_tree),
  above (id, depth) as (
    select p_tree, 0
    union
    select e.tree_id, a.depth + 1 from above a join edges e on e.child = a.id where a.depth < 7),
  below (id, depth) as (
    select c, 1 from unnest(p_children) c
    union
    select e.child, b.depth + 1 from below b join edges e on e.tree_id = b.id where b.depth < 7)
  select c, 'cycle' from unnest(p_children) c where c in (select a.id from above a)
  union all
  select null, 'depth'
   where (select max(a.depth) from above a) + coalesce((select max(b.depth) from below b), 0) > 5
     and not exists (select from above a where a.id = any (p_children))
$$;

-- The same for a flow of the caller's account. Security definer, because the caller does not see every flow.
create function app.check_subflows(p_tree uuid, p_children uuid[]) returns table (child_tree_id uuid, problem text)
language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select * from app.find_subflow_problems(app.account_id(), p_tree, p_children)
$$;

-- Stores the sub-flows of a new current version, and raises SF4SF for a cycle or too many levels. The lock makes the check exact: of two
-- flows that would close a cycle together, the second one is refused.
create function app.keep_subflows() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_children constant uuid[] := case when new.status = 'published' then array(
    select distinct (jsonb_path_query(new.tree_structure, 'strict $.**.subflow.tree_id') #>> '{}')::uuid) end;
  v_problems jsonb;
begin
  if not exists (select from trees t where t.account_id = new.account_id and t.id = new.tree_id and t.version = new.version) then
    return null;
  end if;
  delete from tree_subflows e where e.account_id = new.account_id and e.tree_id = new.tree_id and e.child_tree_id <> all (coalesce(v_children, '{}'));
  if coalesce(cardinality(v_children), 0) = 0 then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('subflows ' || new.account_id, 0));
  v_problems := (select jsonb_agg(p) from app.find_subflow_problems(new.account_id, new.tree_id, v_children) p);
  if v_problems is not null then
    raise exception 'these sub-flows are not possible' using errcode = 'SF4SF', detail = v_problems::text;
  end if;
  insert into tree_subflows (account_id, tree_id, child_account_id, child_tree_id)
  select new.account_id, new.tree_id, t.account_id, t.id from trees t
   where t.id = any (v_children) and t.account_id in (new.account_id, app.platform_account())
  on conflict do nothing;
  return null;
end $$;
create trigger subflows after insert on tree_versions for each row execute function app.keep_subflows();

-- An abandoned session frees its parent, and abandons the sub-flow that it waits for. Whoever abandons a session locks its parent first.
create function app.abandon_subflow() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update sessions p set subflow_session_id = null
   where p.account_id = new.account_id and p.id = new.parent_session_id and p.subflow_session_id = new.id;
  update sessions c set state = 'abandoned'
   where c.account_id = new.account_id and c.id = new.subflow_session_id and c.state in ('prepared', 'in_progress');
  return null;
end $$;
create trigger subflow_abandoned after update on sessions for each row
  when (new.state = 'abandoned' and old.state <> 'abandoned' and (new.parent_session_id is not null or new.subflow_session_id is not null))
  execute function app.abandon_subflow();

-- Returns the sessions of sub-flows below a session, at every level: the first 200.
create function app.list_subflow_sessions(p_session uuid) returns table (id uuid)
language sql stable rows 20 set search_path = public, pg_temp as $$
  with recursive below as (
    select s.id, 1 as depth from sessions s where s.account_id = app.account_id() and s.parent_session_id = p_session
    union all
    select s.id, b.depth + 1 from below b join sessions s on s.account_id = app.account_id() and s.parent_session_id = b.id where b.depth < 6)
  select b.id from below b order by b.depth, b.id limit 200
$$;

-- The links in the texts of a published flow, as a job found them.
create table flow_link_checks (
  account_id uuid not null references accounts on delete cascade,
  tree_id    uuid not null,
  -- The links and what calling them gave. `lib/rules/flows/health/links.ts` has the shape.
  links      jsonb not null default '[]' check (jsonb_typeof(links) = 'array'),
  checked_at timestamptz(3),
  due_at     timestamptz(3) not null default app.now(),
  primary key (account_id, tree_id),
  foreign key (account_id, tree_id) references trees (account_id, id) on delete cascade
);
create index flow_link_checks_due on flow_link_checks (due_at);
call app.protect('flow_link_checks', writes => '{insert,update,delete}');
create policy reads on flow_link_checks for select
  using (account_id = (select app.signed_account_id()) or (app.account_id() is not null and account_id = app.platform_account()));
grant select on flow_link_checks to app_runtime;
grant select, insert, update, delete on flow_link_checks to app_platform;

-- Returns a hash of the ids of all steps and options of a flow, in their order. Versions with the same hash differ in their texts alone.
create function app.step_ids(p_structure jsonb) returns text language sql immutable parallel safe set search_path = public, pg_temp as $$
  select md5(coalesce(string_agg(id #>> '{}', E'\n' order by place), ''))
    from jsonb_path_query(p_structure, 'strict $.**.id') with ordinality ids (id, place)
$$;

-- Has the links of a new current version checked. Only a published flow with an address in it has a row.
create function app.keep_link_check() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from trees t where t.account_id = new.account_id and t.id = new.tree_id and t.version = new.version) then
    return null;
  end if;
  if new.status = 'published' and new.tree_structure::text ~* 'https?://' then
    insert into flow_link_checks (account_id, tree_id) values (new.account_id, new.tree_id)
    on conflict (account_id, tree_id) do update set due_at = app.now();
  else
    delete from flow_link_checks c where c.account_id = new.account_id and c.tree_id = new.tree_id;
  end if;
  return null;
end $$;
create trigger link_check after insert on tree_versions for each row execute function app.keep_link_check();
