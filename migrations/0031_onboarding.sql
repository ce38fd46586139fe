-- The progress of each user in the onboarding wizard. Steps: 1 profile, 2 shop, 3 psa, 4 invites, 5 first flow, 6 done.
create table onboarding (
  account_id      uuid not null default app.account_id() references accounts on delete cascade,
  user_id         uuid not null default app.user_id(),
  current_step    integer not null default 0 check (current_step between 0 and 6),
  completed_steps integer[] not null default '{}',
  skipped_steps   integer[] not null default '{}',
  -- The input of each step.
  data            jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
  dismissed_at    timestamptz(3),
  updated_at      timestamptz(3) not null default app.now(),
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
call app.protect('onboarding', writes => '{}');
call app.delete_with_person('onboarding');
create policy own on onboarding using (account_id = (select app.signed_account_id()) and user_id = app.user_id())
  with check (account_id = (select app.signed_account_id()) and user_id = app.user_id());
grant select, insert, update on onboarding to app_runtime;
grant select, delete on onboarding to app_platform;

-- Returns the steps that the wizard can check by itself. A deleted flow still counts as a first flow.
create function app.onboarding_facts(
  p_account uuid, p_user uuid,
  out email_verified boolean, out psa_connected boolean, out team_invited boolean, out first_flow_created boolean,
  out tried_ai_assistant boolean)
language sql stable set search_path = public, pg_temp as $$
  select exists (select from users u where u.account_id = p_account and u.id = p_user and u.email_verified_at is not null),
         exists (select from psa_connections c where c.account_id = p_account and c.is_active),
         exists (select from invites i where i.account_id = p_account),
         exists (select from trees t where t.account_id = p_account),
         exists (select from ai_sessions s where s.account_id = p_account and s.user_id = p_user)
$$;
