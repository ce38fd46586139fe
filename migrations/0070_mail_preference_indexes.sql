-- migrate: no-transaction
-- For the digests, and for the e-mails that wait for one user.
create index concurrently if not exists deliveries_held on deliveries (held_until, account_id, user_id) where state = 'held';
create index concurrently if not exists deliveries_recipient on deliveries (account_id, user_id) where user_id is not null;
create index concurrently if not exists deliveries_digest on deliveries (account_id, digest_id) where digest_id is not null;
alter table deliveries validate constraint deliveries_state_check;
alter table deliveries validate constraint deliveries_held;
alter table deliveries validate constraint deliveries_purpose_check;
alter table deliveries validate constraint deliveries_subject_check;
