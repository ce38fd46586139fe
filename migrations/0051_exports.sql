-- Says of a completed session that it was exported, the first time. It enters by itself: an export only reads otherwise, and its
-- reading stays read only.
create function app.mark_exported(p_user uuid, p_account uuid, p_sign_in uuid, p_access text, p_past text, p_ip text,
                                  p_session uuid, out marked boolean)
language plpgsql set search_path = public, pg_temp as $$
begin
  perform app.enter(p_user, p_account, p_sign_in, p_access, p_past, p_ip);
  update sessions s set exported_at = app.now()
   where s.account_id = p_account and s.id = p_session and s.state = 'completed' and s.exported_at is null;
  marked := found;
end $$;
