-- The evidence that a step of a flow required, as it was provided with the answer. It ends with the answer, which can only be undone.
create table session_evidence (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  session_id uuid not null,
  seq        integer not null,
  key        text not null check (length(key) between 1 and 60),
  -- The order of the requirements.
  place      integer not null,
  type       text not null check (type in ('screenshot', 'text', 'number', 'boolean', 'select')),
  -- Copied from the flow, so that reports need no other table.
  label      text not null check (length(label) between 1 and 200),
  value      jsonb check (jsonb_typeof(value) in ('string', 'number', 'boolean')),
  upload_id  uuid,
  primary key (account_id, session_id, seq, key),
  foreign key (account_id, session_id, seq) references session_decisions (account_id, session_id, seq) on delete cascade,
  foreign key (account_id, upload_id) references uploads (account_id, id),
  check ((type = 'screenshot') = (upload_id is not null) and (type = 'screenshot') = (value is null))
);
create index session_evidence_upload on session_evidence (account_id, upload_id) where upload_id is not null;

call app.protect('session_evidence');
-- The runtime role cannot change or delete evidence: undoing an answer deletes it by the foreign key.
grant select, insert on session_evidence to app_runtime;
grant select, insert, update, delete on session_evidence to app_platform;
