-- Deletes an account after a grace period, and anonymises a user. lib/db/erasure.ts declares what happens to each table.
grant update (deletes_at, deletion_requested_by) on accounts to app_runtime;
create or replace trigger audit
  after update of name, timezone, settings, require_mfa, brand_colour, audit_log_days, notification_days, ai_message_days, session_days, deletes_at
  on accounts for each row execute function app.audit('account');

-- When the user was anonymised. The row stays for those that refer to it; it names nobody and stays inactive.
alter table users add column erased_at timestamptz(3);
-- When the last trace of the user was erased from rows of which there may be many.
alter table users add column traces_erased_at timestamptz(3);
alter table users add constraint users_erased_inactive check (erased_at is null or not is_active) not valid;
create policy erased on users as restrictive for update
  using (account_id = (select app.signed_account_id()) and erased_at is null)
  with check (account_id = (select app.signed_account_id()) and erased_at is null);

-- The erasures of accounts: what is left of an account. It names nobody. The id is that of the account.
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

-- Objects whose row was deleted, and which a job still has to delete from the object store.
create table deleted_objects (
  object_key text primary key check (length(object_key) <= 300),
  deleted_at timestamptz(3) not null default app.now()
);
create index deleted_objects_age on deleted_objects (deleted_at);
grant select, insert, update, delete on deleted_objects to app_platform;
-- Security definer, because whoever deletes an upload cannot write this table.
create function app.delete_object_later() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into deleted_objects (object_key) values (old.object_key) on conflict do nothing;
  return null;
end $$;
create trigger delete_object after delete on uploads for each row execute function app.delete_object_later();

-- For deletions and for `for update`, which needs the right to update a column.
grant update (created_at) on uploads to app_platform;
grant delete on invites, feedback, beta_feedback to app_platform;

-- E-mails about the deletion of an account are not limited, like those about one's own sign-in.
alter table deliveries drop constraint deliveries_purpose_check,
  add constraint deliveries_purpose_check check (
    purpose in ('verify_email', 'reset_password', 'invite', 'sales_lead', 'feedback', 'feedback_receipt', 'second_factor_added',
                'second_factor_removed', 'webhook_disabled', 'export_ready', 'export_failed', 'account_deletion_requested',
                'account_deletion_cancelled')) not valid;
create or replace function app.is_limited_mail(d deliveries) returns boolean language sql immutable parallel safe as $$
  select d.channel = 'email' and coalesce(d.purpose, '') not in (
    'verify_email', 'reset_password', 'second_factor_added', 'second_factor_removed', 'sales_lead', 'feedback',
    'account_deletion_requested', 'account_deletion_cancelled')
$$;

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

-- Begins the erasure of up to `p_limit` accounts whose grace period is over. An account that is being restored is skipped.
create function app.start_erasures(p_limit integer) returns void language sql set search_path = public, pg_temp as $$
  with due as (
    select id from accounts where deletes_at <= app.now() and erasing_at is null and id <> app.platform_account()
     order by deletes_at limit p_limit for no key update skip locked
  ), started as (
    update accounts a set erasing_at = app.now() from due where a.id = due.id returning a.id, a.deletion_requested_by, a.deletes_at
  )
  insert into account_erasures (id, requested_by, requested_at)
  select id, deletion_requested_by, deletes_at - interval '14 days' from started
$$;
revoke execute on function app.start_erasures(integer) from app_runtime;

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
-- titles of events that the user caused, and messages of webhooks, are texts that the service wrote.
create function app.erase_traces(p_user uuid, p_limit integer) returns boolean language plpgsql set search_path = public, pg_temp as $$
declare
  pattern constant text := '^.*?( escalated: | picked up your escalation| proposed a flow: | joined the account)';
  replacement constant text := 'Deleted user\1';
  keys constant text[] := '{session.escalated,handoff.claimed,proposal.submitted,member.joined}';
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
    left join (values ('engineer_name', 'engineer_id'), ('claimant_name', 'claimed_by'), ('submitter_name', 'submitted_by'), ('name', 'user_id'))
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
  delete from sign_in_attempts where key in (app.attempt_key('address', p_email), app.attempt_key('reset', p_email));
  delete from login_failures where lower(email) = lower(p_email);
  if p_is_verified then
    -- Only the owner of the address may delete what others sent in its name.
    delete from sales_leads where lower(email) = lower(p_email);
  end if;
end $$;

-- Anonymises a user: their credentials, sign-ins, drafts and feedback are deleted, and their name and address everywhere. Of the rows that
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
  delete from sign_ins where account_id = u.account_id and user_id = u.id;
  delete from passwords where user_id = u.id;
  delete from identities where user_id = u.id;
  delete from passkeys where user_id = u.id;
  delete from totp_factors where user_id = u.id;
  delete from recovery_codes where user_id = u.id;
  delete from one_time_tokens where user_id = u.id;
  delete from sign_in_challenges where user_id = u.id;
  delete from passkey_challenges where user_id = u.id;
  delete from idempotency_keys where account_id = u.account_id and user_id = u.id;
  delete from ai_tasks where account_id = u.account_id and user_id = u.id;
  delete from onboarding where account_id = u.account_id and user_id = u.id;
  delete from psa_member_mappings where account_id = u.account_id and user_id = u.id;
  delete from tree_pins where account_id = u.account_id and user_id = u.id;
  delete from flow_conversations where account_id = u.account_id and user_id = u.id;
  delete from script_builder_sessions where account_id = u.account_id and user_id = u.id and origin = 'standalone';
  delete from feedback where account_id = u.account_id and user_id = u.id;
  delete from beta_feedback where account_id = u.account_id and user_id = u.id;
  if u.is_super_admin then
    -- Staff act in the audit logs of other accounts too.
    update audit_logs set ip = null where actor_id = u.id and ip is not null;
  end if;
  delete from stream_events where account_id = u.account_id and data ->> 'engineer_name' = u.full_name;
  update users set email = 'deleted-' || id || '@deleted.invalid', full_name = 'Deleted user', role = 'viewer', team_id = null, team_role = null,
         is_active = false, is_super_admin = false, email_verified_at = null, must_change_password = false, timezone = 'UTC', last_login_at = null,
         erased_at = app.now()
   where id = u.id;
  perform app.erase_traces(u.id, 5000), set_config('app.audit', '', true);
  insert into audit_logs (account_id, actor_id, action, resource_type, resource_id) values (u.account_id, u.id, 'member.erased', 'member', u.id);
  return true;
end $$;
revoke execute on function app.erase_user(uuid), app.erase_traces(uuid, integer), app.erase_addresses(uuid, uuid, text, boolean) from app_runtime;
