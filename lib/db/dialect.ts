import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Database, QueryRows, Statement, TransactionConnection } from './database.ts'

/** How each transaction of a scope starts. */
export interface TenantContext {
  /** `select app.enter(...)`, or null on the `platform` connection. */
  statement: Statement | null
  readOnly: boolean
}

interface LazyConnection extends DatabaseConnection {
  session: TransactionConnection | null
}

// It compiles one query after another, and making it costs more than the rest of a query builder.
const queryCompiler = new PostgresQueryCompiler()

/** Create a Kysely dialect that sends single statements over HTTP and opens a WebSocket for a transaction. */
export function lazyDialect(database: Database, context: TenantContext): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => lazyDriver(database, context),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => queryCompiler,
  }
}

function lazyDriver(database: Database, context: TenantContext): Driver {
  const endTransaction = async (connection: DatabaseConnection, command: string) => {
    const lazy = connection as LazyConnection
    const session = lazy.session
    lazy.session = null
    await session?.query({ sql: command, parameters: [] }).finally(() => session.end())
  }
  return {
    init: async () => {},
    acquireConnection: async () => lazyConnection(database, context),
    releaseConnection: async () => {},
    destroy: async () => {},
    beginTransaction: async (connection) => {
      ;(connection as LazyConnection).session = await database.begin(beginStatement(context))
    },
    commitTransaction: (connection) => endTransaction(connection, 'commit'),
    // An error is ignored: the server rolls back when the connection breaks.
    rollbackTransaction: (connection) => endTransaction(connection, 'rollback').catch(() => {}),
  }
}

function lazyConnection(database: Database, context: TenantContext): LazyConnection {
  return {
    session: null,
    async executeQuery<R>({
      sql,
      parameters,
    }: {
      sql: string
      parameters: readonly unknown[]
    }): Promise<QueryResult<R>> {
      if (this.session) return toResult<R>(await this.session.query({ sql, parameters }))
      return toResult<R>((await runInContext(database, context, [{ sql, parameters }]))[0])
    },
    streamQuery: () => {
      throw new Error('Streaming from the database is not supported over HTTP')
    },
  }
}

/**
 * Run statements after the scope's context statement in one round trip. Return the results of `statements`.
 */
export async function runInContext(
  database: Database,
  { statement, readOnly }: TenantContext,
  statements: readonly Statement[],
): Promise<QueryRows[]> {
  const all = await database.run(statement ? [statement, ...statements] : statements, { readOnly })
  return statement ? all.slice(1) : all
}

export function toResult<R>(result: QueryRows | undefined): QueryResult<R> {
  const { rows, rowCount } = result ?? { rows: [], rowCount: 0 }
  return { rows: rows as R[], numAffectedRows: BigInt(rowCount) }
}

/**
 * Return `begin` and the context statement as one SQL text. Its parameters are written as literals: strings,
 * lists of strings and null.
 */
function beginStatement({ statement, readOnly }: TenantContext): string {
  const begin = readOnly ? 'begin read only' : 'begin'
  if (!statement) return begin
  return `${begin}; ${statement.sql.replace(/\$(\d+)/g, (_, n: string) => quoteLiteral(statement.parameters[Number(n) - 1]))}`
}

function quoteLiteral(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return quoteLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`)
  const text = String(value)
  return text.includes('\\')
    ? `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`
}
