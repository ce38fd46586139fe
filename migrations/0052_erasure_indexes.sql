-- migrate: no-transaction
-- For the accounts whose grace period is over, and for the deletion of uploads and flows, a batch at a time.
create index concurrently if not exists accounts_deletion on accounts (deletes_at) where deletes_at is not null;
create index concurrently if not exists uploads_age on uploads (created_at);
create index concurrently if not exists trees_deleted on trees (deleted_at) where deleted_at is not null;
alter table users validate constraint users_erased_inactive;
alter table deliveries validate constraint deliveries_purpose_check;
