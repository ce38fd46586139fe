import pg from 'pg'
import { dropLibpqVariables } from '#db/drop-libpq-variables.ts'

/**
 * Open a pool that replaces a broken connection. The query in flight fails; without listeners, the event
 * would end the process.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  dropLibpqVariables()
  const pool = new pg.Pool(config)
  const ignore = () => {}
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}
