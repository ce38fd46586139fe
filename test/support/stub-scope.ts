import type { Database, Statement } from '#db/database.ts'
import { openAccountScope } from '#db/scope.ts'

/**
 * Open the scope of an account whose statements the test answers with rows, for code that uses the query
 * builder or batches.
 */
export function createStubScope(answer: (statement: Statement) => readonly object[]) {
  const statements: Statement[] = []
  const outbox: unknown[] = []
  const run = ({ sql, parameters }: Statement) => {
    // The query builder quotes names, and a text does not.
    const statement = { sql: sql.replaceAll('"', ''), parameters }
    statements.push(statement)
    const rows = [...answer(statement)]
    return { rows, rowCount: rows.length }
  }
  const database: Database = {
    run: async (all) => all.map(run),
    begin: async () => ({ query: async (statement) => run(statement), end: async () => {} }),
  }
  const { db } = openAccountScope(database, 'account', null, (entry) => void outbox.push(entry))
  /** Return the parameters of each statement that contains a text. */
  const findStatements = (text: string) =>
    statements.filter(({ sql }) => sql.includes(text)).map(({ parameters }) => parameters)
  return { db, outbox, findStatements }
}
