-- The answers of a session to secret fields of its intake form, by key, encrypted by the service (lib/vendors/auth/sealed-answers.ts). No list, export
-- or search reads this column.
create function app.are_secrets(j jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(j) = 'object' and octet_length(j::text) <= 131072 and (select count(*) <= 100 from jsonb_object_keys(j))
$$;
alter table sessions add column secret_variables jsonb not null default '{}';
-- Not validated, which would read every row: all of them have the default.
alter table sessions add constraint sessions_secret_variables_size check (app.are_secrets(secret_variables)) not valid;
grant update (secret_variables) on sessions to app_runtime;
