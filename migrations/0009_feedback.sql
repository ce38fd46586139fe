-- Sales leads from visitors and feedback from members. The statement that inserts one also inserts the delivery of its e-mail.
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
  -- Without a foreign key: the feedback stays when the session is deleted.
  ai_session_id uuid,
  created_at    timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);

call app.protect('feedback');
call app.delete_with_person('feedback');
call app.protect('beta_feedback');
call app.delete_with_person('beta_feedback');
grant select, insert on feedback, beta_feedback to app_runtime;
grant select, insert, delete on sales_leads to app_platform;
grant select, delete on feedback, beta_feedback to app_platform;
