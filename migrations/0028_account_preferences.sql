-- The preference that decides whether exports are masked: only an account admin changes it, and each change is in the audit log. The other
-- preferences belong to every member. Without a user in the scope, the platform itself acts.
create function app.require_admin_for_masking() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if app.user_id() is not null and app.role() is distinct from 'admin' then
    raise exception 'only an account admin changes mask_exports' using errcode = 'SF4AA';
  end if;
  return new;
end $$;
create trigger masking before update of preferences on accounts for each row
  when (new.preferences -> 'mask_exports' is distinct from old.preferences -> 'mask_exports')
  execute function app.require_admin_for_masking();
create trigger audit_masking after update of preferences on accounts for each row
  when (new.preferences -> 'mask_exports' is distinct from old.preferences -> 'mask_exports')
  execute function app.audit('account');
