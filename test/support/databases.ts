import { openPostgres, type PostgresDatabase } from '#platform/node/postgres.ts'

const databases = new Map<string, PostgresDatabase>()

/**
 * Open a database of a service under test as one of its roles. Calls with the same connection string share
 * the connections.
 */
export function openTestDatabase(url: string | undefined): PostgresDatabase {
  if (!url) throw new Error('The setting with the connection string is missing')
  const database = databases.get(url) ?? openPostgres({ url, maxConnections: 10 })
  databases.set(url, database)
  return database
}
