-- For the limit of open tasks per person.
create index ai_tasks_open on ai_tasks (account_id, user_id) where state in ('queued', 'retrying');
