import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Rows, Session, Statement, Wire } from './client.ts'

/** How a scope begins: nothing for the platform, `app.enter(...)` for everyone else. */
export interface Entrance {
  statement: Statement | null
  readOnly: boolean
}

interface LazyConnection extends DatabaseConnection {
  session: Session | null
}

/** A connection that is Neon's HTTP until a transaction begins and a WebSocket from then on. */
export function lazyDialect(wire: Wire, entrance: Entrance): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => lazyDriver(wire, entrance),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function lazyDriver(wire: Wire, entrance: Entrance): Driver {
  const over = async (connection: DatabaseConnection, last: string) => {
    const lazy = connection as LazyConnection
    const session = lazy.session
    lazy.session = null
    // A connection that is gone has rolled back already.
    await session?.query({ sql: last, parameters: [] }).finally(() => session.end())
  }
  return {
    init: async () => {},
    acquireConnection: async () => lazyConnection(wire, entrance),
    releaseConnection: async () => {},
    destroy: async () => {},
    beginTransaction: async (connection) => {
      ;(connection as LazyConnection).session = await wire.begin(opening(entrance))
    },
    commitTransaction: (connection) => over(connection, 'commit'),
    rollbackTransaction: (connection) => over(connection, 'rollback').catch(() => {}),
  }
}

function lazyConnection(wire: Wire, entrance: Entrance): LazyConnection {
  return {
    session: null,
    async executeQuery<R>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }): Promise<QueryResult<R>> {
      if (this.session) return toResult<R>(await this.session.query({ sql, parameters }))
      return toResult<R>((await runEntered(wire, entrance, [{ sql, parameters }]))[0])
    },
    streamQuery: () => {
      throw new Error('Streaming from the database is not supported over HTTP')
    },
  }
}

/** Runs statements behind the scope's entrance in one round trip and answers their results without the entrance's. */
export async function runEntered(wire: Wire, { statement, readOnly }: Entrance, statements: readonly Statement[]): Promise<Rows[]> {
  const all = await wire.run(statement ? [statement, ...statements] : statements, { readOnly })
  return statement ? all.slice(1) : all
}

export function toResult<R>(result: Rows | undefined): QueryResult<R> {
  const { rows, rowCount } = result ?? { rows: [], rowCount: 0 }
  return { rows: rows as R[], numAffectedRows: BigInt(rowCount) }
}

/** `begin` and the entrance as one message; the entrance's parameters are written as literals, so it takes only strings. */
function opening({ statement, readOnly }: Entrance): string {
  const begin = readOnly ? 'begin read only' : 'begin'
  if (!statement) return begin
  return `${begin}; ${statement.sql.replace(/\$(\d+)/g, (_, n: string) => literal(statement.parameters[Number(n) - 1]))}`
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  const text = String(value)
  return text.includes('\\') ? `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${text.replaceAll("'", "''")}'`
}
