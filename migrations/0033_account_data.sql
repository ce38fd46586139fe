-- Exports of an account as a ZIP archive, imports of such archives, and the erasure of accounts and users.

-- A job writes an export in slices; each slice adds one part.
create table account_exports (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  requested_by     uuid default app.user_id(),
  -- Everything, or only what an import restores.
  contents         text not null default 'all' check (contents in ('all', 'restorable')),
  state            text not null default 'queued' check (state in ('queued', 'retrying', 'ready', 'failed', 'expired')),
  -- Where the next slice starts, and the counts so far.
  progress         jsonb not null default '{}',
  bytes            bigint not null default 0,
  ready_at         timestamptz(3),
  expires_at       timestamptz(3),
  -- Download links that were created.
  links            integer not null default 0,
  -- When the objects were deleted.
  removed_at       timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, requested_by) references users (account_id, id) on delete set null (requested_by)
);
call app.attempts('account_exports');
create index account_exports_newest on account_exports (account_id, created_at desc, id desc);
create index account_exports_requester on account_exports (account_id, requested_by);
-- One export at a time.
create unique index account_exports_open on account_exports (account_id) where state in ('queued', 'retrying');
-- For the sweep, and for the deletion of objects and rows, which read the exports of all accounts as the platform role.
create index account_exports_due on account_exports (next_attempt_at) where state in ('queued', 'retrying');
create index account_exports_expired on account_exports (expires_at) where state in ('ready', 'failed');
create index account_exports_removed on account_exports (removed_at);
create trigger audit after insert on account_exports for each row execute function app.audit('account_export');
create trigger audit_links after update of links on account_exports for each row execute function app.audit('account_export');

-- The archive is the objects of the parts in their order, then their directories, then the end record.
create table account_export_parts (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  export_id  uuid not null,
  number     integer not null,
  object_key text not null,
  bytes      integer not null,
  -- The part's entries in the central directory of the archive.
  directory  bytea not null,
  primary key (account_id, export_id, number),
  foreign key (account_id, export_id) references account_exports (account_id, id) on delete cascade
);

call app.protect('account_exports', writes => '{insert,update}');
create policy reads on account_exports for select using (account_id = (select app.signed_account_id()));
call app.protect('account_export_parts');
grant select, insert, update (links) on account_exports to app_runtime;
grant select on account_export_parts to app_runtime;
grant select, insert, update, delete on account_exports, account_export_parts to app_platform;

-- A job checks an archive in slices, prepares its rows, and stores all of them with the last slice.
create table account_imports (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  requested_by     uuid default app.user_id(),
  -- The archive.
  object_key       text not null,
  state            text not null default 'queued' check (state in ('queued', 'retrying', 'succeeded', 'failed')),
  -- Where the next slice starts, and what was skipped so far.
  progress         jsonb not null,
  -- Bytes of records: each counts once when it is checked, and once when its row is prepared.
  done             bigint not null default 0,
  total            bigint not null,
  -- The restored records by kind, and the records that an import never restores.
  counts           jsonb not null default '{}',
  -- The answer that refuses the archive.
  problem          jsonb,
  stored_at        timestamptz(3),
  -- When it was stored or has failed.
  finished_at      timestamptz(3),
  created_at       timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, requested_by) references users (account_id, id) on delete set null (requested_by)
);
call app.attempts('account_imports');
create index account_imports_requester on account_imports (account_id, requested_by);
-- One import at a time.
create unique index account_imports_open on account_imports (account_id) where state in ('queued', 'retrying');
-- For the sweep and the clean-up, which read the imports of all accounts as the platform role.
create index account_imports_due on account_imports (next_attempt_at) where state in ('queued', 'retrying');
create index account_imports_finished on account_imports (finished_at);
create trigger audit after insert on account_imports for each row execute function app.audit('account_import');
-- Security definer as for uploads. The archive is of no use after the import.
create function app.delete_archive_later() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into deleted_objects (object_key) values (old.object_key) on conflict do nothing;
  return null;
end $$;
create trigger delete_archive after update of state on account_imports for each row
  when (new.state in ('succeeded', 'failed') and old.state in ('queued', 'retrying')) execute function app.delete_archive_later();
create trigger delete_archive after update of state on kb_batches for each row
  when (new.state in ('succeeded', 'failed', 'canceled') and old.state in ('queued', 'retrying') and old.object_key is not null)
  execute function app.delete_archive_later();

-- The records of an import that were checked. Nobody sees them before the last slice stores them, all in one transaction.
create table account_import_records (
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  import_id   uuid not null,
  kind        text not null,
  -- The number of the record among those of its kind in the archive.
  place       integer not null,
  -- The id in the archive; of a version of a flow its flow and number.
  key         text not null,
  -- False for an invalid version: its flow is not restored.
  is_valid    boolean not null,
  new_id      uuid not null default uuidv7(),
  -- Whether `new_id` is a team or category of the account that has the same name.
  is_existing boolean not null default false,
  -- Of a flow the flow it was forked from, of a version its flow: ids in the archive.
  parent      text,
  root        text,
  depth       integer not null default 0,
  -- The record, and after its preparation the row.
  record      jsonb,
  length      integer not null,
  primary key (account_id, import_id, kind, place),
  unique (account_id, import_id, kind, key),
  foreign key (account_id, import_id) references account_imports (account_id, id) on delete cascade
);
create index account_import_records_parent on account_import_records (account_id, import_id, kind, parent) where parent is not null;
create index account_import_records_order on account_import_records (account_id, import_id, kind, depth, place);

call app.protect('account_imports', writes => '{insert}');
create policy reads on account_imports for select using (account_id = (select app.signed_account_id()));
call app.protect('account_import_records');
grant select, insert on account_imports to app_runtime;
grant select on account_import_records to app_runtime;
grant select, insert, update, delete on account_imports, account_import_records to app_platform;

-- Whether an account has nothing that an import would mix with.
create function app.is_empty(p_account uuid) returns boolean language sql stable set search_path = public, pg_temp as $$
  select not exists (select from trees where account_id = p_account and deleted_at is null)
     and not exists (select from script_templates where account_id = p_account)
     and not exists (select from network_diagrams where account_id = p_account)
     and not exists (select from target_lists where account_id = p_account)
$$;

-- Starts to store an import: returns false unless the account is empty. Writes the audit entry of the import. Until the transaction ends, its
-- rows get no entries.
-- Security definer, because only the owner can write the audit log.
create function app.start_import(p_counts jsonb) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  own constant uuid := app.account_id();
begin
  perform app.require_scope();
  if not exists (select from users where account_id = own and id = app.user_id() and role = 'admin' and is_active) then
    raise exception 'only an account admin may import' using errcode = 'SF403';
  end if;
  if not app.is_empty(own) then
    return false;
  end if;
  insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, changes, ip)
  values (own, app.user_id(), 'account.imported', 'account', own, p_counts, app.client_address());
  perform set_config('app.audit', app.sign('audit off'), true);
  return true;
end $$;

-- Deletes an account after a grace period, and anonymises a user. lib/db/erasure.ts declares what happens to each table.
-- The table is what is left of an erased account. It names nobody. The id is that of the account.
create table account_erasures (
  id           uuid primary key,
  requested_by uuid,
  requested_at timestamptz(3) not null,
  started_at   timestamptz(3) not null default app.now(),
  finished_at  timestamptz(3),
  -- The deleted rows by table, the deleted objects, and what happened to the billing customer.
  counts       jsonb not null default '{}' check (jsonb_typeof(counts) = 'object')
);
create index account_erasures_open on account_erasures (started_at) where finished_at is null;
grant select, insert, update on account_erasures to app_platform;

-- Deletes up to `p_limit` rows of a table of an account that is being erased, and adds their number to its counts in the same transaction, so
-- that a crash between two batches loses no count. Rows that end with them are not counted. Security definer, because no role may delete
-- entries of the audit log; for an account that is not being erased it deletes nothing.
create function app.erase_rows(p_account uuid, p_table text, p_limit integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  n integer;
  -- Forks refer to older flows.
  sorting constant text := case p_table when 'trees' then 'order by fork_depth desc' else '' end;
begin
  perform from account_erasures e join accounts a on a.id = e.id
    where e.id = p_account and e.finished_at is null and a.erasing_at is not null for update of e;
  if not found then
    return 0;
  end if;
  perform set_config('app.audit', app.sign('audit off'), true);
  if p_table = 'uploads' then
    update teams set branding_logo_upload_id = null where account_id = p_account and branding_logo_upload_id is not null;
  end if;
  execute format('delete from public.%I where ctid = any (array(select ctid from public.%1$I where account_id = $1 %s limit $2))', p_table, sorting)
    using p_account, p_limit;
  get diagnostics n = row_count;
  perform set_config('app.audit', '', true);
  if n > 0 then
    update account_erasures set counts = counts || jsonb_build_object(p_table, coalesce((counts ->> p_table)::integer, 0) + n) where id = p_account;
  end if;
  return n;
end $$;
revoke execute on function app.erase_rows(uuid, text, integer) from app_runtime;

-- Deletes the row of an account that is being erased, with all rows that are left. Returns false while the account has a billing customer.
create function app.erase_account(p_account uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('app.audit', app.sign('audit off'), true);
  delete from accounts where id = p_account and erasing_at is not null and billing_customer_id is null and id <> app.platform_account();
  return found;
end $$;
revoke execute on function app.erase_account(uuid) from app_runtime;

-- Begins the erasure of up to `p_limit` accounts whose grace period is over, and of those on no paid plan in which nobody has verified an
-- address within 14 days. Without a provider of e-mails (`p_mails`) nobody can verify one. An account that is being restored is skipped.
create function app.start_erasures(p_limit integer, p_mails boolean default true) returns void language sql set search_path = public, pg_temp as $$
  update accounts set deletes_at = app.now() where p_mails and id = any (array(
    select a.id from users u join accounts a on a.id = u.account_id
     where u.email_verified_at is null and u.is_active and u.created_at <= app.now() - interval '14 days'
       and a.deletes_at is null and a.subscription_status in ('trialing', 'free') and a.id <> app.platform_account()
       and not exists (select from users p where p.account_id = a.id and p.email_verified_at is not null)
     limit p_limit));
  with due as (
    select id from accounts where deletes_at <= app.now() and erasing_at is null and id <> app.platform_account()
     order by deletes_at limit p_limit for no key update skip locked
  ), started as (
    update accounts a set erasing_at = app.now() from due where a.id = due.id returning a.id, a.deletion_requested_by, a.deletes_at
  )
  insert into account_erasures (id, requested_by, requested_at)
  select id, deletion_requested_by, deletes_at - interval '14 days' from started
$$;
revoke execute on function app.start_erasures(integer, boolean) from app_runtime;

-- Adds the end of an erasure to the audit log of the platform. Returns whether it was open.
create function app.finish_erasure(p_account uuid) returns boolean language sql set search_path = public, pg_temp as $$
  with finished as (
    update account_erasures set finished_at = app.now() where id = p_account and finished_at is null returning *
  ), entry as (
    insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, changes)
    select app.platform_account(), requested_by, 'account.erased', 'account', id, jsonb_build_object('requested_at', app.iso(requested_at), 'counts', counts)
      from finished returning id
  )
  select exists (select from entry)
$$;
revoke execute on function app.finish_erasure(uuid) from app_runtime;

-- Removes a user who was anonymised from rows of which there may be many: up to `p_limit` of each kind. Returns whether there may be more. The
-- titles of events and approvals that the user caused, and messages of webhooks, are texts that the service wrote.
create function app.erase_traces(p_user uuid, p_limit integer) returns boolean language plpgsql set search_path = public, pg_temp as $$
declare
  pattern constant text := '^.*?( escalated: | picked up the escalation: | proposed a flow: | joined the account| asks for your approval: | approved: | rejected: )';
  replacement constant text := 'Deleted user\1';
  keys constant text[] := '{session.escalated,handoff.claimed,proposal.submitted,member.joined,approval.requested,approval.decided,
    oncall.overridden,oncall.changed,oncall.shift_starts,oncall.substitute_requested,oncall.substitute_updated}';
  v_account constant uuid := (select account_id from users where id = p_user);
  event_ids constant uuid[] := array(
    select id from events
     where account_id = v_account and actor_id = p_user and key = any (keys) and title ~ pattern and not starts_with(title, 'Deleted user ')
     limit p_limit / 4);
  n integer;
  is_full boolean := cardinality(event_ids) = p_limit / 4;
begin
  update notifications set title = regexp_replace(title, pattern, replacement) where account_id = v_account and event_id = any (event_ids);
  update events set title = regexp_replace(title, pattern, replacement) where account_id = v_account and id = any (event_ids);
  delete from notifications where ctid = any (array(select ctid from notifications where account_id = v_account and user_id = p_user limit p_limit));
  get diagnostics n = row_count;
  is_full := is_full or n = p_limit;
  update audit_logs set ip = null where ctid = any (array(
    select ctid from audit_logs where account_id = v_account and actor_id = p_user and ip is not null limit p_limit));
  get diagnostics n = row_count;
  is_full := is_full or n = p_limit;
  if not is_full then
    perform app.rewrite_audit_messages(v_account, array[p_user]);
  end if;
  update webhook_deliveries
     set payload = jsonb_set(payload::jsonb, '{data}', app.remove_names(payload::jsonb -> 'data', p_user))::text, response_body = null
   where ctid = any (array(
     select ctid from webhook_deliveries
      where account_id = v_account and type = any (keys) and payload like '%' || p_user || '%'
        and app.remove_names(payload::jsonb -> 'data', p_user) <> payload::jsonb -> 'data' limit p_limit));
  get diagnostics n = row_count;
  is_full := is_full or n = p_limit;
  if not is_full then
    update users set traces_erased_at = app.now() where id = p_user;
  end if;
  return is_full;
end $$;
-- Continues the erasure of one user, for the clean-up. Returns whether there may be more to do. Security definer, because of the audit log.
create function app.continue_user_erasure(p_limit integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_user uuid;
begin
  select id into v_user from users where erased_at is not null and traces_erased_at is null limit 1 for no key update skip locked;
  if v_user is null then
    return false;
  end if;
  perform app.erase_traces(v_user, p_limit);
  return true;
end $$;
revoke execute on function app.continue_user_erasure(integer) from app_runtime;
create function app.remove_names(p_data jsonb, p_user uuid) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(d.key, case when n.id_key is null then d.value else '"Deleted user"' end), '{}')
    from jsonb_each(p_data) d
    left join (values ('engineer_name', 'engineer_id'), ('claimant_name', 'claimed_by'), ('submitter_name', 'submitted_by'), ('name', 'user_id'),
                      ('requester_name', 'requested_by'), ('approver_name', 'decided_by'), ('accepted_by_name', 'accepted_by'))
      n (name_key, id_key) on n.name_key = d.key and p_data ->> n.id_key = p_user::text
$$;

-- Removes what an account stores about the address and the devices of a user.
create function app.erase_addresses(p_account uuid, p_user uuid, p_email text, p_is_verified boolean) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  invite_ids uuid[];
begin
  delete from deliveries where account_id = p_account and (user_id = p_user or lower(recipient) = lower(p_email));
  update invites set email = 'deleted-' || id || '@deleted.invalid', revoked_at = coalesce(revoked_at, case when accepted_at is null then app.now() end)
   where account_id = p_account and (accepted_by = p_user or lower(email) = lower(p_email));
  select array_agg(id) into invite_ids from invites where account_id = p_account and email like 'deleted-%@deleted.invalid';
  delete from invite_codes where invite_id = any (invite_ids);
  delete from notification_configs c
   where c.account_id = p_account and c.channel = 'email'
     and not exists (select from jsonb_array_elements_text(c.email_addresses) a where lower(a) <> lower(p_email));
  update notification_configs c set email_addresses = (
      select jsonb_agg(a) from jsonb_array_elements_text(c.email_addresses) a where lower(a) <> lower(p_email))
   where c.account_id = p_account and exists (select from jsonb_array_elements_text(c.email_addresses) a where lower(a) = lower(p_email));
  update audit_logs set changes = changes || '{"email": "[deleted]"}'
   where account_id = p_account and resource_type = 'invite' and changes ? 'email' and resource_id = any (invite_ids);
  update audit_logs set changes = (select jsonb_object_agg(k, case when k = 'user_id' then v else '"[deleted]"' end) from jsonb_each(changes) c (k, v))
   where account_id = p_account and resource_type = 'psa_member_mapping' and changes::text like '%' || p_user || '%';
  perform app.rewrite_audit_messages(p_account, invite_ids);
  delete from sign_in_attempts where key = any (array(select app.attempt_key(k, p_email) from unnest(array['address', 'reset', 'email_change']) k));
  if p_is_verified then
    -- Only the owner of the address may delete what others sent in its name.
    delete from sales_leads where lower(email) = lower(p_email);
  end if;
end $$;

-- Anonymises a user: their rows of tables with app.delete_with_person are deleted, and their name and address everywhere. Of the rows that
-- app.erase_traces changes, the first 5,000 of each kind are done here, and the clean-up continues. What they
-- created for the account stays, as the work of "Deleted user". Raises SF4LA for the last active admin of an account, and SF4LS for the
-- last super admin. Returns false for a user who is anonymised already. Security definer, because it changes the audit log.
create function app.erase_user(p_user uuid) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
  u users;
begin
  select * into u from users where id = p_user and not is_service and erased_at is null and id <> app.service_user() for no key update;
  if not found then
    return false;
  end if;
  perform set_config('app.audit', app.sign('audit off'), true);
  perform app.erase_addresses(u.account_id, u.id, u.email, u.email_verified_at is not null);
  if u.is_super_admin then
    -- Staff act in the audit logs of other accounts too.
    update audit_logs set ip = null where actor_id = u.id and ip is not null;
    perform app.rewrite_audit_messages(a.account_id, array[u.id])
       from (select distinct account_id from audit_logs where actor_id = u.id and account_id <> u.account_id) a;
  end if;
  delete from stream_events where account_id = u.account_id and data ->> 'engineer_name' = u.full_name;
  -- A handover and what is said of shifts names people in its text, whoever caused it.
  update notifications set title = replace(title, u.full_name, 'Deleted user'), body = replace(body, u.full_name, 'Deleted user')
   where account_id = u.account_id and (event_key = 'handover.due' or event_key like 'oncall.%') and strpos(title || ' ' || body, u.full_name) > 0;
  update events set title = replace(title, u.full_name, 'Deleted user'), body = replace(body, u.full_name, 'Deleted user')
   where account_id = u.account_id and (key = 'handover.due' or key like 'oncall.%') and strpos(title || ' ' || body, u.full_name) > 0;
  update users set email = 'deleted-' || id || '@deleted.invalid', full_name = 'Deleted user', role = 'viewer', team_id = null, team_role = null,
         is_active = false, is_super_admin = false, email_verified_at = null, must_change_password = false, timezone = 'UTC', last_login_at = null,
         erased_at = app.now()
   where id = u.id;
  perform app.erase_traces(u.id, 5000), set_config('app.audit', '', true);
  insert into audit_logs (account_id, actor_id, action, resource_type, resource_id) values (u.account_id, u.id, 'member.erased', 'member', u.id);
  return true;
end $$;
revoke execute on function app.erase_user(uuid), app.erase_traces(uuid, integer), app.erase_addresses(uuid, uuid, text, boolean) from app_runtime;

-- An address belongs to whoever proves it, by an invite, a provider or a change of address: a user who has not verified it is anonymised.
-- Where colleagues have verified theirs, the one who has been there longest becomes an admin, so that one is left. Else the account ends, at
-- once if nobody has worked in it. Security definer, because the two users may belong to different accounts.
create function app.release_address() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  holder users;
begin
  select * into holder from users u
   where lower(u.email) = lower(new.email) and u.id <> new.id and u.email_verified_at is null and not u.is_service and u.erased_at is null
     for no key update;
  if not found then
    return new;
  end if;
  update users set role = 'admin' where id = (
    select id from users u where u.account_id = holder.account_id and u.id <> holder.id and u.is_active and u.email_verified_at is not null
     order by u.role = 'admin' desc, u.created_at, u.id limit 1);
  if not found then
    update accounts set deletion_requested_by = null, deletes_at = app.now() + case
        when exists (select from trees where account_id = holder.account_id) or exists (select from sessions where account_id = holder.account_id)
          or exists (select from ai_sessions where account_id = holder.account_id)
          or exists (select from script_templates where account_id = holder.account_id)
          or exists (select from network_diagrams where account_id = holder.account_id) then interval '14 days' else interval '0' end
     where id = holder.account_id and id <> app.platform_account();
  end if;
  perform app.erase_user(holder.id);
  return new;
end $$;
create trigger release_address before insert or update of email, email_verified_at on users
  for each row when (new.email_verified_at is not null and not new.is_service) execute function app.release_address();
