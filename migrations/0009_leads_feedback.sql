-- What people tell us: sales leads from outside, feedback from inside. A mail about it is owed in the same statement.
create table sales_leads (
  id          uuid primary key default uuidv7(),
  email       text not null check (length(email) between 3 and 320),
  name        text not null check (length(name) between 1 and 200),
  company     text not null check (length(company) between 1 and 200),
  source      text not null check (source in ('pricing_page', 'contact_form', 'landing_page', 'demo_request', 'referral')),
  message     text check (length(message) <= 20000),
  phone       text check (length(phone) <= 50),
  seats       integer check (seats > 0),
  received_at timestamptz(3) not null default app.now()
);
grant select, insert, delete on sales_leads to app_platform;

create table feedback (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  user_id    uuid not null default app.user_id(),
  subject    text not null check (length(subject) between 1 and 300),
  message    text not null check (length(message) between 1 and 20000),
  page_url   text check (length(page_url) <= 2000),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);

create table beta_feedback (
  id            uuid not null default uuidv7(),
  account_id    uuid not null default app.account_id() references accounts on delete cascade,
  user_id       uuid not null default app.user_id(),
  reaction      text not null check (reaction in ('positive', 'neutral', 'negative')),
  category      text not null check (category in ('general', 'bug', 'idea', 'ui', 'ai', 'performance')),
  text          text not null check (length(text) between 1 and 20000),
  page_url      text check (length(page_url) <= 2000),
  -- As the caller said it: what somebody says of a session outlives the session.
  ai_session_id uuid,
  created_at    timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);

do $$ declare t text; begin
  foreach t in array array['feedback', 'beta_feedback'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy own on %I using (account_id = app.account_id()) with check (account_id = app.account_id())', t);
  end loop;
end $$;
grant select, insert on feedback, beta_feedback to app_runtime;
grant select on feedback, beta_feedback to app_platform;

alter table deliveries
  add column sales_lead_id uuid references sales_leads on delete cascade,
  add column feedback_id uuid,
  add foreign key (account_id, feedback_id) references feedback (account_id, id) on delete cascade,
  drop constraint deliveries_purpose_check,
  add constraint deliveries_purpose_check check (
    purpose in ('verify_email', 'reset_password', 'invite', 'sales_lead', 'feedback', 'feedback_receipt')),
  drop constraint deliveries_subject_check,
  add constraint deliveries_subject_check check (
    case when purpose is null then num_nonnulls(user_id, invite_id, sales_lead_id, feedback_id) = 0
         when purpose = 'invite' then invite_id is not null
         when purpose = 'sales_lead' then sales_lead_id is not null
         when purpose in ('feedback', 'feedback_receipt') then feedback_id is not null
         else user_id is not null end);
