import { record } from '#metrics.ts'
import { isTraced, runInSpan } from '#trace.ts'
import type { Database, Statement } from './database.ts'
import { describeStatements } from './describe-statement.ts'

type Role = 'runtime' | 'platform'
type SqlText = Pick<Statement, 'sql'>

/**
 * Return the database with its round trips recorded, as metrics and as spans. A transaction has one round
 * trip per query.
 */
export function measureDatabase<D extends Database>(database: D, role: Role): D {
  const { forAccount } = database
  return {
    ...database,
    ...(forAccount
      ? { forAccount: (accountId: string) => measureDatabase(forAccount(accountId), role) }
      : {}),
    run: (statements, options) => measure(role, statements, () => database.run(statements, options)),
    async begin(beginSql) {
      const connection = await measure(role, [{ sql: beginSql }], () => database.begin(beginSql))
      return {
        ...connection,
        query: (statement) => measure(role, [statement], () => connection.query(statement)),
      }
    },
  }
}

async function measure<T>(role: Role, statements: readonly SqlText[], work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    return await (isTraced() ? traceRoundTrip(role, statements, work) : work())
  } catch (error) {
    record('databaseFailures', { role })
    throw error
  } finally {
    record('databaseRoundTrips', { role }, (performance.now() - startedAt) / 1000)
  }
}

/**
 * Run a round trip as a span, named as https://opentelemetry.io/docs/specs/semconv/database/postgresql/ wants
 * it.
 */
function traceRoundTrip<T>(role: Role, statements: readonly SqlText[], work: () => Promise<T>): Promise<T> {
  return runInSpan(describeStatements(statements), 'client', async ({ attributes }) => {
    Object.assign(attributes, { 'db.system.name': 'postgresql', 'support_flow.role': role })
    if (statements.length > 1) attributes['db.operation.batch.size'] = statements.length
    return work()
  })
}
