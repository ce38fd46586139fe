-- Who comes second waits for the first one's whole transaction, and should then hear who won instead of "try again": nearly as long as a
-- statement may take. Two seconds were too short for thirty-two callers on a busy machine.
do $$ declare r text; begin
  foreach r in array array['app_runtime', 'app_platform'] loop
    execute format('alter role %I set lock_timeout = ''4s''', r);
  end loop;
end $$;
