-- There are flows now: the wizard sees when an account has made one of its own, deleted since or not.
create or replace function app.onboarding_facts(
  p_account uuid, p_user uuid,
  out email_verified boolean, out psa_connected boolean, out team_invited boolean, out first_flow_created boolean, out tried_ai_assistant boolean)
language sql stable set search_path = public, pg_temp as $$
  select exists (select from users u where u.account_id = p_account and u.id = p_user and u.email_verified_at is not null),
         false,
         exists (select from invites i where i.account_id = p_account),
         exists (select from trees t where t.account_id = p_account),
         false
$$;
