import type pg from 'pg'
import { pause, type RetrySettings } from './retry.ts'

const lockKey = 7310001

/**
 * Take the lock that lets one process migrate a database. PostgreSQL frees it when the connection ends. Wait while another process has it,
 * and throw after `maxTotalMs`. Waiting inside PostgreSQL is not possible: a concurrent index build of the other process would wait for this
 * session's open statement, and both would stop.
 */
export async function lockMigrations(client: pg.Client, { maxTotalMs, pauseMs, report }: RetrySettings): Promise<void> {
  const end = performance.now() + maxTotalMs
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockKey])
    if (rows[0]?.locked) return
    if (performance.now() + pauseMs > end) throw new Error('Another process still migrates this database. Try again when it has finished.')
    if (attempt === 1) report('Another process migrates this database. Waiting for it.')
    await pause(pauseMs)
  }
}
