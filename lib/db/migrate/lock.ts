import pg from 'pg'
import { withConnection } from './connection.ts'
import { pause, type RetrySettings } from './retry.ts'

// https://www.postgresql.org/docs/18/errcodes-appendix.html
const lockNotAvailable = '55P03'
const uniqueViolation = '23505'

/**
 * Run `work` while no other process migrates the database. Wait while another process does, and throw after
 * `maxTotalMs`. The lock is that of a table, because any role can take an advisory lock. A connection of its
 * own holds it, in a transaction without a snapshot: a concurrent index build waits for neither,
 * https://www.postgresql.org/docs/18/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY.
 */
export async function withMigrationLock<T>(
  ownerUrl: string,
  settings: RetrySettings,
  work: () => Promise<T>,
): Promise<T> {
  return withConnection({ connectionString: ownerUrl }, async (client) => {
    await createMigrationsTable(client)
    await waitForLock(client, settings)
    return work()
  })
}

async function createMigrationsTable(client: pg.Client): Promise<void> {
  const create =
    'create table if not exists public.migrations (name text primary key, checksum text not null, at timestamptz default now())'
  await client.query(create).catch((error: unknown) => {
    // Another process created it at the same moment.
    if (!hasCode(error, uniqueViolation)) throw error
  })
}

async function waitForLock(client: pg.Client, { maxTotalMs, pauseMs, report }: RetrySettings): Promise<void> {
  const end = performance.now() + maxTotalMs
  for (let attempt = 1; ; attempt++) {
    if (await tryLock(client)) return
    if (performance.now() + pauseMs > end)
      throw new Error('Another process still migrates this database. Try again when it has finished.')
    if (attempt === 1) report('Another process migrates this database. Waiting for it.')
    await pause(pauseMs)
  }
}

/** Try to take the lock. PostgreSQL frees it when the connection ends. */
async function tryLock(client: pg.Client): Promise<boolean> {
  await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  try {
    // Conflicts with itself, and with no read or write of the service or of this process.
    await client.query('lock table public.migrations in share update exclusive mode nowait')
    return true
  } catch (error) {
    await client.query('rollback')
    if (hasCode(error, lockNotAvailable)) return false
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code
}
