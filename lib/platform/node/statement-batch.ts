import pg from 'pg'
import { type QueryRows, type Statement, typeParsers } from '#db/database.ts'

type Column = [name: string, parse: (text: string) => unknown]
interface PreparedStatement {
  name: string
  /** The columns of its rows, once PostgreSQL has described them. */
  columns: Column[] | null
}
/** The statements that one connection has prepared. */
export interface PreparedStatements {
  bySql: Map<string, PreparedStatement>
  /** How many names have been used. */
  count: number
}

/** The part of pg's connection that sends messages of the extended query protocol. */
interface Connection {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: unknown[]; valueMapper(value: unknown): unknown }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: { portal: string; rows: number }): void
  sync(): void
}

/** The messages of PostgreSQL that pg passes on, in the order of the statements. */
interface StatementBatch extends pg.Submittable {
  handleRowDescription(message: { fields: { name: string; dataTypeID: number }[] }): void
  handleDataRow(message: { fields: (string | null)[] }): void
  handleCommandComplete(message: { text: string }): void
  handleEmptyQuery(): void
  handleError(error: Error): void
  handleReadyForQuery(): void
}

// Statements per connection that stay prepared. Any further one is parsed each time.
const maxPrepared = 1000

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

/**
 * Send several statements that end with one Sync message, so that they take one round trip and run in one
 * transaction:
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING. A repeated statement is prepared and described once per
 * connection. `prefix` begins the names of the statements that it prepares.
 */
export function sendBatch(
  client: pg.ClientBase,
  statements: readonly Statement[],
  prepared: PreparedStatements,
  prefix = 's',
): Promise<QueryRows[]> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryRows[]>()
  const earlierCount = prepared.count
  const sentStatements = statements.map((statement) => ({
    statement,
    known: null as PreparedStatement | null,
    rows: [] as unknown[],
    rowCount: 0,
  }))
  let index = 0
  let failure: unknown
  const batch: StatementBatch = {
    submit(connection) {
      const out = connection as unknown as Connection
      out.stream.cork()
      try {
        for (const item of sentStatements) item.known = sendStatement(out, item.statement, prepared, prefix)
      } catch (error) {
        // A parameter that cannot be converted. A statement that does not exist makes those before it fail
        // too.
        failure = error
        out.bind({ statement: 'unsent', values: [], valueMapper: prepareValue })
      } finally {
        out.sync()
        out.stream.uncork()
      }
    },
    handleRowDescription({ fields }) {
      const known = sentStatements[index]?.known
      if (known) known.columns = fields.map(({ name, dataTypeID }) => [name, getParser(dataTypeID)])
    },
    handleDataRow({ fields }) {
      const item = sentStatements[index]
      if (item?.known?.columns) item.rows.push(parseRow(fields, item.known.columns))
    },
    handleCommandComplete({ text }) {
      const item = sentStatements[index++]
      if (!item?.known) return
      // A statement without rows has no description.
      item.known.columns ??= []
      // "SELECT 5", "INSERT 0 1", "UPDATE 2": the last number is that of the rows.
      item.rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
    },
    handleEmptyQuery() {
      index++
    },
    handleError(error) {
      // PostgreSQL skips what follows the failed statement, so it may not know the statements that this batch
      // wanted to prepare.
      if (prepared.count > earlierCount)
        for (const { statement } of sentStatements) prepared.bySql.delete(statement.sql)
      reject(failure ?? error)
    },
    handleReadyForQuery: () => resolve(sentStatements.map(({ rows, rowCount }) => ({ rows, rowCount }))),
  }
  client.query(batch)
  return promise
}

function sendStatement(
  out: Connection,
  { sql, parameters }: Statement,
  prepared: PreparedStatements,
  prefix: string,
): PreparedStatement {
  let knownStatement = prepared.bySql.get(sql)
  if (!knownStatement) {
    knownStatement = {
      name: prepared.bySql.size < maxPrepared ? `${prefix}${prepared.count++}` : '',
      columns: null,
    }
    out.parse({ name: knownStatement.name, text: sql })
    if (knownStatement.name) prepared.bySql.set(sql, knownStatement)
  }
  out.bind({ statement: knownStatement.name, values: parameters as unknown[], valueMapper: prepareValue })
  if (!knownStatement.columns) out.describe({ type: 'P', name: '' })
  out.execute({ portal: '', rows: 0 })
  return knownStatement
}

function getParser(dataTypeID: number): Column[1] {
  return typeParsers[dataTypeID] ?? (pg.types.getTypeParser(dataTypeID, 'text') as Column[1])
}

function parseRow(texts: (string | null)[], columns: Column[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [i, column] of columns.entries()) {
    const text = texts[i]
    row[column[0]] = text == null ? null : column[1](text)
  }
  return row
}
