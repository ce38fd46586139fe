-- Columns of times have milliseconds. PostgreSQL rounds a time to them, up or down, so a column that was set to `now()` could be up to half a
-- millisecond in the future, and what was due at once was not due yet for the next statement. A clock that is rounded alike cannot differ.
create function app.real_time() returns timestamptz language sql stable parallel safe as 'select now()::timestamptz(3)';

-- The clock of every rule about time. The local database replaces it by one that tests can move.
create or replace function app.now() returns timestamptz language sql stable parallel safe as 'select app.real_time()';
