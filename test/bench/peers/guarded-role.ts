/** SQL that creates the role of the peer, which only sees the rows of the account in `peer.account_id`. */
export const peerRole = `
  create role peer_runtime login password 'peer';
  grant usage on schema public, app to peer_runtime;
  grant select, insert, update, delete on all tables in schema public to peer_runtime;
  grant execute on all functions in schema app to peer_runtime;
  do $$
  declare t text;
  begin
    for t in select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
              where c.relnamespace = 'public'::regnamespace and c.relrowsecurity loop
      execute format('create policy peer on %I to peer_runtime using (account_id = (select current_setting(''peer.account_id'')::uuid))', t);
    end loop;
    foreach t in array array['trees', 'tree_versions', 'categories', 'users'] loop
      execute format('create policy peer_platform on %I for select to peer_runtime using (account_id = (select app.platform_account()))', t);
    end loop;
  end $$;
  create policy peer on accounts to peer_runtime using (id = (select current_setting('peer.account_id')::uuid));`
