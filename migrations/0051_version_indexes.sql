-- migrate: no-transaction
-- For foreign keys, whose check would read a whole table when a user is deleted.
create index concurrently if not exists script_templates_saved_by on script_templates (account_id, saved_by);
create index concurrently if not exists network_diagrams_saved_by on network_diagrams (account_id, saved_by);
alter table script_templates validate constraint script_templates_account_id_saved_by_fkey;
alter table network_diagrams validate constraint network_diagrams_account_id_saved_by_fkey;
