/** Create a connection that answers each statement as the test says, and that records the statements and the outbox. */
export function createStubDatabase(answer: (sql: string, parameters: readonly unknown[]) => readonly object[]) {
  const statements: { sql: string; parameters: readonly unknown[] }[] = []
  const outbox: unknown[] = []
  const db = {
    executeQuery: async ({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => {
      statements.push({ sql: sql.replace(/\s+/g, ' ').trim(), parameters })
      const rows = answer(sql, parameters)
      return { rows, numAffectedRows: BigInt(rows.length) }
    },
    outbox: (entry: unknown) => void outbox.push(entry),
    transaction: () => ({ execute: (work: (tx: unknown) => unknown): unknown => work(db) }),
  }
  /** Return the parameters of each statement that contains a text. */
  const findStatements = (text: string) => statements.filter(({ sql }) => sql.includes(text)).map(({ parameters }) => parameters)
  return { db: db as never, statements, outbox, findStatements }
}
