-- Marking a read notification as read again writes nothing: no row version, no index entry, no WAL.
create or replace function app.mark_notification_read(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text,
                                                      p_id uuid, out body text)
language plpgsql set search_path = public, pg_temp as $$
declare
  n notifications;
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  select x.* into n from notifications x where x.account_id = p_account and x.id = p_id and x.user_id = p_user;
  if n.id is not null and not n.is_read then
    -- Another request may mark it between the two statements. The first time of reading stays.
    update notifications x set is_read = true, read_at = coalesce(x.read_at, app.now())
     where x.account_id = p_account and x.id = p_id and x.user_id = p_user
    returning x.* into n;
  end if;
  if n.id is not null then
    body := app.notification_json(n)::text;
  end if;
end $$;

-- PostgreSQL would plan the list again for each call, because it takes the plan for a known limit for cheaper. Planning takes half the call.
alter function app.list_notifications(uuid, uuid, uuid, text, text, text, integer, integer) set plan_cache_mode = force_generic_plan;
