import type { Database, Statement } from '#db/database.ts'
import { openPlatformDb } from '#db/scope.ts'

/**
 * Create a connection that answers each statement as the test says, and that records the statements and the
 * outbox.
 */
export function createStubDatabase(
  answer: (sql: string, parameters: readonly unknown[]) => readonly object[],
) {
  const statements: Statement[] = []
  const outbox: unknown[] = []
  const run = ({ sql: text, parameters }: Statement) => {
    // The query builder quotes names, and a text does not.
    const sql = text.replaceAll('"', '').replace(/\s+/g, ' ').trim()
    statements.push({ sql, parameters })
    const rows = [...answer(sql, parameters)]
    return { rows, rowCount: rows.length }
  }
  const query = async (statement: Statement) =>
    /^(?:commit|rollback)$/.test(statement.sql) ? { rows: [], rowCount: 0 } : run(statement)
  const database: Database = {
    run: async (all) => all.map(run),
    begin: async () => ({ query, end: async () => {} }),
  }
  const db = openPlatformDb(database, 'a test', (entry) => void outbox.push(entry))
  /** Return the parameters of each statement that contains a text. */
  const findStatements = (text: string) =>
    statements.filter(({ sql }) => sql.includes(text)).map(({ parameters }) => parameters)
  return { db: db as never, statements, outbox, findStatements }
}
