-- Exports of an account as a ZIP archive, and the start of an import. A job writes an export in slices; each slice adds one part.
create table account_exports (
  id               uuid not null default uuidv7(),
  account_id       uuid not null default app.account_id() references accounts on delete cascade,
  requested_by     uuid default app.user_id(),
  -- Everything, or only what an import restores.
  contents         text not null default 'all' check (contents in ('all', 'restorable')),
  state            text not null default 'queued' check (state in ('queued', 'retrying', 'ready', 'failed', 'expired')),
  attempts         integer not null default 0,
  -- A slice that succeeds raises it, so it limits the attempts of one slice.
  max_attempts     integer not null default 4,
  last_error       text,
  last_status_code integer,
  next_attempt_at  timestamptz(3) default app.now(),
  leased_until     timestamptz(3),
  -- When a sweep last took the row, because its message was lost.
  swept_at         timestamptz(3),
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

-- The e-mail to the person who asked for the export.
alter table deliveries drop constraint deliveries_purpose_check,
  add constraint deliveries_purpose_check check (
    purpose in ('verify_email', 'reset_password', 'invite', 'sales_lead', 'feedback', 'feedback_receipt',
                'second_factor_added', 'second_factor_removed', 'webhook_disabled', 'export_ready', 'export_failed')) not valid;

-- Starts the import of an archive: returns false unless the account has no flows, scripts, diagrams and target lists. Writes the audit entry
-- of the import and switches the entries of its rows off until the transaction ends. Imports of one account wait for one another here.
-- Security definer, because only the owner can write the audit log.
create function app.start_import(p_counts jsonb) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  own constant uuid := app.account_id();
begin
  perform app.require_scope();
  if app.role() is distinct from 'admin' then
    raise exception 'only an account admin may import' using errcode = 'SF403';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('import:' || own, 0));
  if exists (select from trees where account_id = own and deleted_at is null)
     or exists (select from script_templates where account_id = own)
     or exists (select from network_diagrams where account_id = own)
     or exists (select from target_lists where account_id = own) then
    return false;
  end if;
  insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, changes, ip)
  values (own, app.user_id(), 'account.imported', 'account', own, p_counts, app.client_address());
  perform set_config('app.audit', app.sign('audit off'), true);
  return true;
end $$;
