import type pg from 'pg'
import { withTimeout } from '#vendors/net/send-result.ts'
import { openPool } from './pool.ts'

// Longer than the statement timeout of the role. A connection whose server is gone gives no answer at all.
const defaultQueryTimeoutMs = 8000
// A publish has 3 s in all.
const connectTimeoutMs = 2500
const closeTimeoutMs = 1000
// A new connection plans every statement again.
const idleTimeoutMs = 60_000
// One listens. The others are used for a millisecond at a time: twice as many do not run more jobs per
// second.
const maxConnections = 6

/**
 * Open the connections of the queue, as app_platform. The address must be that of PostgreSQL or of a pooler
 * in session mode: notifications do not pass through a pooler in transaction mode.
 * https://neon.com/docs/connect/connection-pooling
 */
export function openJobsPool(connectionString: string, queryTimeoutMs = defaultQueryTimeoutMs): pg.Pool {
  const pool = openPool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    // A connection that was opened while the server took no writes keeps that.
    maxLifetimeSeconds: idleTimeoutMs / 1000,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'jobs',
  })
  discardBrokenClients(pool)
  allowSecondRelease(pool)
  return pool
}

/**
 * Ignore the second release of a client. The library releases the client that listens when it fails, and
 * again when it stops at the same moment. `pg` throws then, in a promise that nothing handles, which would
 * end the process.
 */
function allowSecondRelease(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => unknown
  const connectOnce = (callback?: ConnectCallback) =>
    connect(callback && ((error, client, release) => callback(error, client, release && createOnce(release))))
  pool.connect = connectOnce as typeof pool.connect
}

type Release = (error?: Error | boolean) => void
/** A closed pool passes the error alone. */
type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: Release | undefined,
) => void

function createOnce(release: Release): Release {
  let isReleased = false
  return (error) => {
    if (!isReleased) release(error)
    isReleased = true
  }
}

/** Close the connections. While PostgreSQL gives no answer, this ends after a second. */
export async function closeJobsPool(pool: pg.Pool): Promise<void> {
  await withTimeout(closeTimeoutMs, pool.end()).catch(() => {})
}

/**
 * Close each client that is returned to the pool while its query still runs. `pg` rejects such a query after
 * `query_timeout`, but keeps the connection, on which every later query would wait as well.
 */
function discardBrokenClients(pool: pg.Pool): void {
  pool.on('release', (_error, client) => {
    // A client that is ending leaves the pool.
    if ((client as pg.PoolClient & { readyForQuery: boolean }).readyForQuery === false)
      (client as unknown as pg.Client).end().catch(() => {})
  })
}
