import { record } from '../metrics/metrics.ts'
import type { Database } from './database.ts'

/** Return the database with its round trips recorded as metrics. The transaction of `begin` counts each of its queries. */
export function measureDatabase<D extends Database>(database: D, role: 'runtime' | 'platform'): D {
  return {
    ...database,
    run: (statements, options) => measure(role, () => database.run(statements, options)),
    async begin(beginSql) {
      const connection = await measure(role, () => database.begin(beginSql))
      return { ...connection, query: (statement) => measure(role, () => connection.query(statement)) }
    },
  }
}

async function measure<T>(role: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  try {
    return await work()
  } catch (error) {
    record('databaseFailures', { role })
    throw error
  } finally {
    record('databaseRoundTrips', { role }, (performance.now() - started) / 1000)
  }
}
