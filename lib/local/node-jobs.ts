import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

// graphile-worker compares with PostgreSQL's own `now()`, which nothing can move. The statements here use its
// tables, as a superuser.

/**
 * Make waiting jobs of the Node platform due `byMs` milliseconds earlier, and tell the workers to look for
 * them: when a test moves the clock, the jobs move instead. Does nothing before the first worker has created
 * its tables.
 */
export async function moveDelayedJobs(client: pg.ClientBase, byMs: number): Promise<void> {
  if (!(await hasJobs(client))) return
  await client.query(
    `with moved as (
       update graphile_worker._private_jobs set run_at = run_at - $1 * interval '1 millisecond' where locked_at is null returning run_at
     )
     select pg_notify('jobs:insert', json_build_object('count', count(*))::text) from moved where run_at <= now() having count(*) > 0`,
    [byMs],
  )
}

/** Run the periodic work in one of the workers, and wait for its end. */
export async function runCronJob(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `select id from graphile_worker.add_job('cron', max_attempts => 1, priority => -10)`,
  )
  await waitUntilNone(client, 'id = $1', [rows[0]?.id])
}

/** Count the jobs of the Node platform that wait and those that run. */
export async function countJobs(client: pg.ClientBase): Promise<{ scheduled: number; delivering: number }> {
  if (!(await hasJobs(client))) return { scheduled: 0, delivering: 0 }
  const { rows } = await client.query<{ scheduled: number; delivering: number }>(
    `select count(*) filter (where locked_at is null)::int as scheduled, count(locked_at)::int as delivering from graphile_worker._private_jobs`,
  )
  return rows[0] ?? { scheduled: 0, delivering: 0 }
}

/**
 * Resolve when no job is due or running, what those that ended left behind has published none, and none is due
 * within the next 50 ms.
 */
export async function waitUntilJobsSettled(
  client: pg.ClientBase,
  finishEffects: () => Promise<void> = async () => {},
): Promise<void> {
  if (!(await hasJobs(client))) return
  const isOpen = `(locked_at is not null or (run_at <= now() and attempts < max_attempts))`
  for (let wasIdle = false; !wasIdle; ) {
    await waitUntilNone(client, isOpen)
    await finishEffects()
    await sleep(50)
    wasIdle = await hasNone(client, isOpen)
  }
}

async function hasJobs(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(
    `select where to_regclass('graphile_worker._private_jobs') is not null`,
  )
  return rowCount === 1
}

async function waitUntilNone(
  client: pg.ClientBase,
  condition: string,
  values: unknown[] = [],
): Promise<void> {
  while (!(await hasNone(client, condition, values))) await sleep(5)
}

async function hasNone(client: pg.ClientBase, condition: string, values: unknown[] = []): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from graphile_worker._private_jobs where ${condition} limit 1`,
    values,
  )
  return rowCount === 0
}
