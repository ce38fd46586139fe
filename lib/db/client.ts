import { Client, neon, neonConfig, types as neonTypes } from '@neondatabase/serverless'

/** Compiled SQL: placeholders `$1`, `$2`, … with one parameter each. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export interface QueryRows {
  rows: unknown[]
  rowCount: number
}

/** An open transaction on a connection of its own. */
export interface TransactionConnection {
  query(statement: Statement): Promise<QueryRows>
  /** Close the connection. A transaction that is not committed is rolled back. */
  end(): Promise<void>
}

/** The database as one role sees it. Each call of a method is one round trip, and so is each query of a transaction. */
export interface Database {
  /** Run all statements in one HTTP request and one transaction. A single statement runs without an explicit transaction. */
  run(statements: readonly Statement[], options: { readOnly: boolean }): Promise<QueryRows[]>
  /** Open a connection and run `beginSql`, which starts a transaction. */
  begin(beginSql: string): Promise<TransactionConnection>
}

export interface DatabaseSettings {
  url: string
  /** Addresses of SQL over HTTP and of the WebSocket tunnel; Neon's own by default. */
  httpEndpoint?: string | undefined
  wsProxy?: string | undefined
  onRoundTrip?: (() => void) | undefined
}

/** Convert PostgreSQL's text of a UTC timestamptz to RFC 3339 with milliseconds. A Date per cell would make lists slow. */
export function toIsoTime(text: string): string {
  const dot = text.indexOf('.')
  const plus = text.lastIndexOf('+')
  const millis =
    dot < 0
      ? '000'
      : text
          .slice(dot + 1, plus)
          .padEnd(3, '0')
          .slice(0, 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`
}

const parsers: Record<number, (text: string) => unknown> = {
  20: Number,
  1184: toIsoTime,
}

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers[oid] ?? neonTypes.getTypeParser(oid, format as 'text'),
}

// The driver's settings are global, so the endpoint of each host is stored here.
const endpoints = new Map<string, string>()
const defaultEndpoint = neonConfig.fetchEndpoint

function setHttpEndpoint(host: string, endpoint: string): void {
  endpoints.set(host, endpoint)
  neonConfig.fetchEndpoint = (host, port, options) =>
    endpoints.get(host) ?? (typeof defaultEndpoint === 'string' ? defaultEndpoint : defaultEndpoint(host, port, options))
}

// Longer than the statement timeout. A database that takes longer is down, and the request gets a 503.
const timeoutMs = 8000

export function openDatabase({ url, httpEndpoint, wsProxy, onRoundTrip = () => {} }: DatabaseSettings): Database {
  if (httpEndpoint) setHttpEndpoint(new URL(url).hostname, httpEndpoint)
  if (wsProxy) Object.assign(neonConfig, { wsProxy: () => wsProxy, useSecureWebSocket: false })
  const http = neon(url, { fullResults: true })
  const toRows = ({ rows, rowCount }: { rows: unknown[]; rowCount: number }): QueryRows => ({ rows, rowCount })
  return {
    async run(statements, { readOnly }) {
      onRoundTrip()
      const [single] = statements
      const fetchOptions = { signal: AbortSignal.timeout(timeoutMs) }
      if (single && statements.length === 1) return [toRows(await http.query(single.sql, [...single.parameters], { fetchOptions, types }))]
      // Over HTTP the driver reads the parsers from each query only.
      const queries = statements.map(({ sql, parameters }) => http.query(sql, [...parameters], { types }))
      return (await http.transaction(queries, { readOnly, isolationLevel: 'ReadCommitted', fetchOptions })).map(toRows)
    },
    async begin(beginSql) {
      const client = new Client({ connectionString: url, types, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
      // A connection that breaks fails the query in flight. An `error` event without a listener would also crash the isolate.
      client.on('error', () => {})
      await client.connect()
      onRoundTrip()
      await client.query(beginSql).catch(async (error: unknown) => {
        await client.end()
        throw error
      })
      return {
        async query({ sql, parameters }) {
          onRoundTrip()
          const { rows, rowCount } = await client.query(sql, [...parameters])
          return { rows, rowCount: rowCount ?? 0 }
        },
        end: () => client.end(),
      }
    },
  }
}
