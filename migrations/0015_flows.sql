-- Flows (`trees`), their versions, categories, pins, share links and the step library. Each save of a flow adds an immutable version.
-- The platform account owns the flows that ship with the service; every account can read, run and fork them.
create table categories (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  name       text not null check (length(name) between 1 and 200),
  team_id    uuid,
  created_by uuid default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete set null (team_id)
);
create unique index categories_name on categories (account_id, app.name_key(name));

-- The texts that the search indexes of flows contain.
create function app.flow_text(p_name text, p_description text, p_tags text[]) returns text language sql immutable parallel safe
  as $$ select app.fold(p_name || E'\n' || p_description || E'\n' || coalesce(array_to_string(p_tags, E'\n'), '')) $$;
create function app.name_keys(p_texts text[]) returns text[] language sql immutable parallel safe
  as $$ select coalesce(array_agg(app.name_key(t) order by n), '{}') from unnest(p_texts) with ordinality u (t, n) $$;
create function app.flow_words(p_name text, p_description text, p_tags text[]) returns tsvector language sql immutable parallel safe as $$
  select setweight(to_tsvector('english', p_name), 'A')
      || setweight(to_tsvector('english', coalesce(array_to_string(p_tags, ' '), '')), 'B')
      || setweight(to_tsvector('english', p_description), 'C')
$$;

create table trees (
  id                  uuid not null default uuidv7(),
  account_id          uuid not null default app.account_id() references accounts on delete cascade,
  team_id             uuid,
  author_id           uuid not null default app.user_id(),
  tree_type           text not null check (tree_type in ('troubleshooting', 'procedural', 'maintenance')),
  status              text not null check (status in ('draft', 'published')),
  visibility          text not null check (visibility in ('private', 'team', 'account', 'public')),
  name                text not null check (length(name) between 1 and 200),
  description         text not null default '' check (length(description) <= 20000),
  category_id         uuid,
  tags                text[] not null default '{}',
  version             integer not null default 1,
  usage_count         bigint not null default 0,
  -- The flow it was forked from, and the first flow of that line. Both may belong to the platform account.
  parent_account_id   uuid,
  parent_tree_id      uuid,
  root_account_id     uuid,
  root_tree_id        uuid,
  fork_depth          integer not null default 0,
  fork_reason         text check (length(fork_reason) <= 2000),
  import_metadata     jsonb,
  -- The place in the public gallery. Only staff change it.
  is_gallery_featured boolean not null default false,
  gallery_sort_order  integer not null default 0,
  is_gallery_hidden   boolean not null default false,
  -- The findings that are not for this flow. Each id is a digest of what it is about, so another text of the step makes another id.
  dismissed_findings  uuid[] not null default '{}' check (cardinality(dismissed_findings) <= 200),
  -- Who reviews it; null for the admins of its team and account.
  owner_id            uuid default app.user_id(),
  -- How often, in months; null as often as the account has set. An evergreen flow is never due.
  review_months       integer constraint trees_review_months check (review_months between 1 and 60),
  is_evergreen        boolean not null default false,
  reviewed_at         timestamptz(3),
  reviewed_by         uuid,
  -- The day from which its review is overdue, when who reviews it is told next, and how often they were told. A trigger keeps these.
  review_due_on       date,
  review_notice_at    timestamptz(3),
  review_notices      integer not null default 0,
  created_at          timestamptz(3) not null default app.now(),
  updated_at          timestamptz(3) not null default app.now(),
  published_at        timestamptz(3),
  deleted_at          timestamptz(3),
  search              text generated always as (app.flow_text(name, description, tags)) stored,
  tag_keys            text[] generated always as (app.name_keys(tags)) stored,
  words               tsvector generated always as (app.flow_words(name, description, tags)) stored,
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, author_id) references users (account_id, id),
  foreign key (account_id, owner_id) references users (account_id, id),
  foreign key (account_id, reviewed_by) references users (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, category_id) references categories (account_id, id) on delete set null (category_id),
  foreign key (parent_account_id, parent_tree_id) references trees (account_id, id),
  foreign key (root_account_id, root_tree_id) references trees (account_id, id),
  check (parent_account_id in (account_id, app.platform_account())),
  check (root_account_id in (account_id, app.platform_account())),
  check ((parent_tree_id is null) = (parent_account_id is null) and (root_tree_id is null) = (root_account_id is null))
);
-- For the orders and filters of the list, so that a page is read without sorting.
create index trees_usage on trees (account_id, usage_count desc, id desc) where deleted_at is null;
create index trees_updated on trees (account_id, updated_at desc, id desc) where deleted_at is null;
create index trees_created on trees (account_id, created_at desc, id desc) where deleted_at is null;
create index trees_name on trees (account_id, name collate "und-x-icu", id) where deleted_at is null;
create index trees_version on trees (account_id, version desc, id desc) where deleted_at is null;
create index trees_kind on trees (account_id, tree_type, status) where deleted_at is null;
create index trees_author on trees (account_id, author_id) where deleted_at is null;
create index trees_category on trees (account_id, category_id, usage_count desc, id desc) where deleted_at is null;
create index trees_parent on trees (account_id, parent_tree_id) where parent_tree_id is not null;
-- For the foreign keys, whose check would read the whole table when a row of the other one is deleted.
create index trees_parent_key on trees (parent_account_id, parent_tree_id) where parent_tree_id is not null;
create index trees_root_key on trees (root_account_id, root_tree_id) where root_tree_id is not null;
create index trees_team on trees (account_id, team_id);
create index trees_search on trees using gin (account_id, search gin_trgm_ops) where deleted_at is null;
create index trees_tags on trees using gin (account_id, tag_keys) where deleted_at is null;
-- For the deletion of flows, a batch at a time.
create index trees_deleted on trees (deleted_at) where deleted_at is not null;
-- For the public gallery, which reads the public flows of all accounts as the platform role.
create index trees_gallery_words on trees using gin (words)
  where visibility = 'public' and status = 'published' and deleted_at is null and not is_gallery_hidden;
create index trees_gallery_popular on trees (usage_count desc, id desc)
  where visibility = 'public' and status = 'published' and deleted_at is null and not is_gallery_hidden;
create index trees_owner on trees (account_id, owner_id) where review_due_on is not null;
create index trees_review on trees (account_id, review_due_on) where review_due_on is not null;
-- For the sweep, which reads the flows of all accounts as the platform role.
create index trees_review_notice on trees (review_notice_at) where review_notice_at is not null;
create trigger audit_gallery after update of is_gallery_featured, gallery_sort_order, is_gallery_hidden on trees for each row
  execute function app.audit('gallery_flow');

create trigger audit_review after update of owner_id, review_months, is_evergreen, reviewed_at on trees for each row
  when ((old.owner_id, old.review_months, old.is_evergreen, old.reviewed_at)
        is distinct from (new.owner_id, new.review_months, new.is_evergreen, new.reviewed_at))
  execute function app.audit('flow_review');

-- Plans the next review of a flow: so many months after the last one, or after it was first published, at 8:00 of the account. A draft, a private
-- flow and an evergreen one need none. Who becomes its owner is told of a review that is overdue.
create function app.plan_review() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  v_zone text;
  v_months integer;
  v_due date;
begin
  select app.known_timezone(a.timezone), coalesce(new.review_months, a.flow_review_months) into v_zone, v_months
    from accounts a where a.id = new.account_id;
  if new.status = 'published' and new.visibility <> 'private' and not new.is_evergreen and new.deleted_at is null then
    v_due := ((coalesce(new.reviewed_at, new.published_at) at time zone v_zone)::date + make_interval(months => v_months))::date;
  end if;
  if tg_op = 'INSERT' or v_due is distinct from old.review_due_on or new.owner_id is distinct from old.owner_id then
    new.review_notices := 0;
  end if;
  new.review_due_on := v_due;
  -- The second notice follows the first one.
  if new.review_notices = 0 then
    new.review_notice_at := (v_due + time '8:00') at time zone v_zone;
  end if;
  return new;
end $$;
create trigger plan_review
  before insert or update of status, visibility, published_at, deleted_at, owner_id, review_months, is_evergreen, reviewed_at on trees
  for each row execute function app.plan_review();
-- Security definer, because an account may have flows that whoever changes it does not see.
create function app.plan_reviews_of_account() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update trees set reviewed_at = reviewed_at
   where account_id = new.id and status = 'published' and deleted_at is null and not is_evergreen
     and (review_months is null or old.timezone is distinct from new.timezone);
  return null;
end $$;
create trigger plan_reviews after update of flow_review_months, timezone on accounts for each row
  when ((old.flow_review_months, old.timezone) is distinct from (new.flow_review_months, new.timezone))
  execute function app.plan_reviews_of_account();
-- The admins are told again of the overdue reviews of an owner who can no longer work.
create function app.pass_on_reviews() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update trees set review_notices = 0, review_notice_at = app.now()
   where account_id = new.account_id and owner_id = new.id and review_due_on is not null and review_notices > 0;
  return null;
end $$;
create trigger pass_on_reviews after update of role, is_active on users for each row
  when (app.can_work(old) and not app.can_work(new))
  execute function app.pass_on_reviews();
-- Whether a user can own a flow: can work, and sees it.
create function app.may_own(t trees, u users) returns boolean language sql stable parallel safe as $$
  select coalesce(app.can_work(u) and u.account_id = t.account_id
    and (u.id = t.author_id or t.visibility in ('account', 'public') or t.visibility = 'team' and (u.role = 'admin' or u.team_id = t.team_id)), false)
$$;
-- Whether a user may confirm that a flow is right: its owner, its author, or an admin of its team or account.
create function app.may_review(t trees, u users) returns boolean language sql stable parallel safe as $$
  select coalesce(app.may_own(t, u)
    and (u.id = t.author_id or u.id = t.owner_id or u.role = 'admin' or u.team_role = 'admin' and u.team_id = t.team_id), false)
$$;
-- Who is told of a review: the owner, while they can own it; otherwise null, for the admins.
create function app.reviewer_of(t trees) returns uuid language sql stable set search_path = public, pg_temp as $$
  select u.id from users u where u.account_id = t.account_id and u.id = t.owner_id and app.may_own(t, u)
$$;

create table tree_versions (
  id             uuid not null default uuidv7(),
  account_id     uuid not null default app.account_id() references accounts on delete cascade,
  tree_id        uuid not null,
  version        integer not null check (version > 0),
  status         text not null check (status in ('draft', 'published')),
  name           text not null,
  description    text not null default '',
  category       text,
  tree_structure jsonb,
  intake_form    jsonb not null default '[]',
  tree_type      text not null check (tree_type in ('troubleshooting', 'procedural', 'maintenance')),
  saved_by       uuid default app.user_id(),
  restored_from  integer,
  -- What became of the earlier runs when they were replayed before this version was published: counts alone.
  replay         jsonb check (jsonb_typeof(replay) = 'object'),
  -- The size of the content when it was written. A trigger sets it.
  bytes          integer,
  created_at     timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, tree_id, version),
  foreign key (account_id, tree_id) references trees (account_id, id) on delete cascade,
  foreign key (account_id, saved_by) references users (account_id, id)
);

create table tree_pins (
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  user_id         uuid not null default app.user_id(),
  tree_account_id uuid not null,
  tree_id         uuid not null,
  position        integer not null,
  created_at      timestamptz(3) not null default app.now(),
  primary key (account_id, user_id, tree_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (tree_account_id, tree_id) references trees (account_id, id) on delete cascade,
  check (tree_account_id in (account_id, app.platform_account()))
);
-- For the foreign key, whose check would read the whole table when a row of the other one is deleted.
create index tree_pins_tree on tree_pins (tree_account_id, tree_id);

create table tree_shares (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  tree_id    uuid not null,
  hash       bytea not null unique,
  created_by uuid default app.user_id(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  foreign key (account_id, tree_id) references trees (account_id, id) on delete cascade,
  foreign key (account_id, created_by) references users (account_id, id)
);
create index tree_shares_tree on tree_shares (account_id, tree_id, created_at desc);
create trigger audit after insert or update of revoked_at on tree_shares for each row execute function app.audit('tree_share', 'hash');
create index tree_shares_creator on tree_shares (account_id, created_by) where revoked_at is null;

-- A link ends when its creator is deactivated or becomes a viewer, because nobody answers for it any more. Security definer, because the change may be
-- that of an admin of the platform.
create function app.end_shares_of_creator() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update tree_shares set revoked_at = app.now() where account_id = new.account_id and created_by = new.id and revoked_at is null;
  return null;
end $$;
create trigger end_shares after update of role, is_active on users for each row
  when (app.can_work(old) and not app.can_work(new))
  execute function app.end_shares_of_creator();

-- A link ends when fewer people may see its flow than before.
create function app.end_shares_of_flow() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update tree_shares set revoked_at = app.now() where account_id = new.account_id and tree_id = new.id and revoked_at is null;
  return null;
end $$;
create trigger end_shares after update of visibility on trees for each row
  when (array_position(array['private', 'team', 'account', 'public'], new.visibility)
        < array_position(array['private', 'team', 'account', 'public'], old.visibility))
  execute function app.end_shares_of_flow();

create table library_steps (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  team_id          uuid,
  created_by       uuid not null default app.user_id(),
  visibility       text not null default 'team' check (visibility in ('private', 'team', 'account')),
  title            text not null check (length(title) <= 300),
  description      text not null default '' check (length(description) <= 20000),
  step_type        text not null check (step_type in ('action', 'solution', 'procedure_step')),
  source_tree_id   uuid,
  source_node_id   text,
  source_tree_name text,
  is_active        boolean not null default true,
  created_at       timestamptz(3) not null default app.now(),
  updated_at       timestamptz(3) not null default app.now(),
  search           text generated always as (app.fold(title || E'\n' || description)) stored,
  primary key (id),
  unique (account_id, id),
  unique (account_id, source_tree_id, source_node_id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id),
  foreign key (account_id, source_tree_id) references trees (account_id, id) on delete cascade,
  check ((source_tree_id is null) = (source_node_id is null) and (source_tree_id is null) = (source_tree_name is null))
);
create index library_steps_title on library_steps (account_id, is_active, title collate "und-x-icu", id);
create index library_steps_search on library_steps using gin (account_id, search gin_trgm_ops);

-- An account reads the rows that its member may see and what the platform has published. It writes its own rows only.
call app.protect('categories', writes => '{insert,update,delete}');
create policy reads on categories for select
  using (account_id = (select app.signed_account_id()) or (app.account_id() is not null and account_id = app.platform_account()));
call app.protect('trees', writes => '{insert,update}');
create policy reads on trees for select using (
  (account_id = (select app.signed_account_id()) and app.sees(visibility, author_id, team_id))
  or (app.account_id() is not null and account_id = app.platform_account() and status = 'published'));
call app.protect('tree_versions', writes => '{insert}');
create policy reads on tree_versions for select
  using (account_id = (select app.signed_account_id()) or (app.account_id() is not null and account_id = app.platform_account()));
call app.protect('tree_pins');
call app.delete_with_person('tree_pins');
call app.protect('tree_shares');
call app.protect('library_steps');

grant select, insert, update (name), delete on categories to app_runtime;
grant select, insert on trees to app_runtime;
grant update (team_id, tree_type, status, visibility, name, description, category_id, tags, version, dismissed_findings, updated_at, published_at,
              deleted_at, owner_id, review_months, is_evergreen, reviewed_at, reviewed_by)
  on trees to app_runtime;
grant select, insert on tree_versions to app_runtime;
grant select, insert, update (position), delete on tree_pins to app_runtime;
grant select, insert, update (revoked_at) on tree_shares to app_runtime;
grant select, insert, delete on library_steps to app_runtime;
grant update (team_id, visibility, title, description, step_type, source_tree_name, is_active, updated_at) on library_steps to app_runtime;
grant select, insert, update, delete on categories, trees, tree_versions, tree_pins, tree_shares, library_steps to app_platform;

-- Whether a flow is a private one that the caller does not see. Who sees a session that ran it sees its name there, and nowhere else.
create function app.hides_flow(p_tree uuid) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select exists (select from trees t where t.account_id = app.account_id() and t.id = p_tree and t.visibility = 'private'
                    and not app.sees(t.visibility, t.author_id, t.team_id))
$$;
-- Whether a colleague's private flows alone have a category that was made for them.
create function app.hides_category(c categories) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select c.created_by <> app.user_id()
     and exists (select from trees t where t.account_id = c.account_id and t.category_id = c.id and t.author_id = c.created_by and app.hides_flow(t.id))
     and not exists (select from trees t where t.account_id = c.account_id and t.category_id = c.id and t.deleted_at is null and not app.hides_flow(t.id))
$$;

-- Counts a use of a flow of the account or the platform. Security definer, because the counter itself cannot be written.
create function app.count_use(p_account uuid, p_tree uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  update trees set usage_count = usage_count + 1
   where account_id = p_account and id = p_tree and account_id in (app.account_id(), app.platform_account())
$$;

-- Returns the category of an account that has a name. One id, not a list of those of the account and of the platform, keeps the order of an index.
-- The nil id matches nothing.
create function app.find_category(p_account uuid, p_name text) returns uuid language sql stable set search_path = public, pg_temp as $$
  select coalesce((select c.id from categories c where c.account_id = p_account and app.name_key(c.name) = app.name_key(p_name)),
                  '00000000-0000-0000-0000-000000000000')
$$;
-- Returns the ids of one page of the flows that the caller sees, with their places. The query joins them to the rows that the policy shows.
-- A filter that has no line here is the value of the column of its name. Security definer: LIKE and @> are not leakproof, so row level security
-- would keep the indexes of words and tags unused. The statement is planned with its values at each call, because a common word is found soon
-- in the order of the list and a rare one by its index.
create function app.list_trees(
  p_filters jsonb, p_sort text, p_skip bigint, p_limit bigint, p_after text default null, p_after_id uuid default null)
returns table (id uuid, place bigint) language plpgsql stable security definer rows 50 set search_path = public, pg_temp as $$
declare
  v_sort constant text := case p_sort
    when 'usage_count' then 't.usage_count desc, t.id desc'
    when 'updated_at' then 't.updated_at desc, t.id desc'
    when 'created_at' then 't.created_at desc, t.id desc'
    when 'name' then 't.name collate "und-x-icu", t.id'
    when 'name_desc' then 't.name collate "und-x-icu" desc, t.id desc'
    when 'version' then 't.version desc, t.id desc' end;
  v_after constant text := case when p_after_id is null then '' when p_sort = 'name' then ' and (t.name collate "und-x-icu", t.id) > ($3, $4)'
    else format(' and (%s, t.id) < ($3%s, $4)', case p_sort when 'name_desc' then 't.name collate "und-x-icu"' else 't.' || p_sort end,
      case p_sort when 'usage_count' then '::bigint' when 'version' then '::bigint' when 'name_desc' then '' else '::timestamptz' end) end;
  v_filters constant text := coalesce((
    select string_agg(' and ' || case name
             when 'tag' then format('t.tag_keys @> array[app.name_key(%L)]', value)
             -- LIKE ALL uses no index; one LIKE per word does.
             when 'words' then (select string_agg(format('t.search like %L', word), ' and ') from jsonb_array_elements_text(p_filters -> name) word)
             when 'review' then 't.review_due_on <= (select app.local_today())'
             else format('t.%I = %L', name, value) end, '')
      from jsonb_each_text(p_filters - 'category') f (name, value)), '');
  v_category constant text := p_filters ->> 'category';
  -- A private flow is its author's, so the index of authors applies.
  v_own constant text := 't.account_id = app.account_id() and app.sees(t.visibility, t.author_id, t.team_id)'
    || case when p_filters ->> 'visibility' = 'private' then ' and t.author_id = app.user_id()' else '' end
    || case when v_category is null then '' else format(' and t.category_id = %L', app.find_category(app.account_id(), v_category)) end;
  v_platform constant text := 'app.account_id() is not null and t.account_id = app.platform_account() and t.status = ''published'''
    || case when v_category is null then '' else format(' and t.category_id = %L', app.find_category(app.platform_account(), v_category)) end;
  -- Flows of the account and of the platform are read in order and merged. One condition for both would sort all of them.
  v_branch constant text := '
    (select t.id, t.usage_count, t.updated_at, t.created_at, t.name, t.version from trees t
      where %s and t.deleted_at is null %s %s order by %s limit $1 + $2)';
begin
  perform app.require_scope();
  return query execute format('select t.id, row_number() over (order by %s) from (%s union all %s) t order by 2 offset $1 limit $2',
      v_sort, format(v_branch, v_own, v_filters, v_after, v_sort), format(v_branch, v_platform, v_filters, v_after, v_sort))
    using p_skip, p_limit, p_after, p_after_id;
end $$;
-- Whether a flow that the caller sees has a tag.
create function app.has_tag(p_tag text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select exists (select from trees t where t.account_id = app.account_id() and t.deleted_at is null and t.tag_keys @> array[app.name_key(p_tag)]
                    and app.sees(t.visibility, t.author_id, t.team_id))
$$;
-- Returns the steps of the library whose text contains all words. Security definer for the reason above.
create function app.find_library_steps(p_words text[], p_active boolean) returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select s.id from library_steps s where s.account_id = app.account_id() and s.is_active = p_active and s.search like all (p_words)
$$;

-- Replaces the library steps of a flow by p_entries. Idempotent: there is one step per flow and node.
create function app.sync_library(p_tree uuid, p_entries jsonb) returns void
language sql set search_path = public, pg_temp as $$
  insert into library_steps
    (team_id, created_by, visibility, title, description, step_type, source_tree_id, source_node_id, source_tree_name)
  select t.team_id, t.author_id, case when t.visibility = 'private' then 'private' else e.visibility end, e.title, e.description,
         e.step_type, t.id, e.node_id, t.name
    from trees t, jsonb_to_recordset(p_entries) e (node_id text, step_type text, title text, description text, visibility text)
   where t.account_id = app.account_id() and t.id = p_tree
  on conflict (account_id, source_tree_id, source_node_id) do update
     set team_id = excluded.team_id, visibility = excluded.visibility, title = excluded.title, description = excluded.description,
         step_type = excluded.step_type, source_tree_name = excluded.source_tree_name, is_active = true, updated_at = app.now();
  update library_steps s set is_active = false, updated_at = app.now()
   where s.account_id = app.account_id() and s.source_tree_id = p_tree and s.is_active
     and not exists (select from jsonb_to_recordset(p_entries) e (node_id text) where e.node_id = s.source_node_id)
$$;

-- Returns the root and the depth of a flow of the account or the platform in its line of forks. Security definer, because a user may fork a
-- flow from a session after losing access to the flow.
create function app.tree_line(
  p_account uuid, p_tree uuid, out root_account_id uuid, out root_id uuid, out depth integer)
language sql stable security definer set search_path = public, pg_temp as $$
  select app.require_scope();
  select coalesce(t.root_account_id, t.account_id), coalesce(t.root_tree_id, t.id), t.fork_depth from trees t
   where t.account_id = p_account and t.id = p_tree and t.account_id in (app.account_id(), app.platform_account())
$$;
