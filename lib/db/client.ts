import { Client, neon, neonConfig, types as neonTypes } from '@neondatabase/serverless'

/** Compiled SQL: `$1` placeholders, one parameter each. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export interface Rows {
  rows: unknown[]
  rowCount: number
}

/** A WebSocket transaction in progress. */
export interface Session {
  query(statement: Statement): Promise<Rows>
  end(): Promise<void>
}

/** One role's way to the database. Every method counts as one round trip, but a session's queries, which are one each. */
export interface Wire {
  /** All statements in one HTTP request and one transaction; a single one runs by itself. */
  run(statements: readonly Statement[], options: { readOnly: boolean }): Promise<Rows[]>
  begin(first: string): Promise<Session>
}

export interface WireSettings {
  url: string
  /** Where SQL over HTTP and the WebSocket tunnel are, when not where Neon has them. */
  httpEndpoint?: string | undefined
  wsProxy?: string | undefined
  onRoundTrip?: (() => void) | undefined
}

/** PostgreSQL's text of a timestamptz in UTC, as RFC 3339 with milliseconds: a Date per cell is what makes lists slow. */
export function isoTime(text: string): string {
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
  1184: isoTime,
}

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers[oid] ?? neonTypes.getTypeParser(oid, format as 'text'),
}

// The driver's settings are the process's; hosts keep databases apart.
const endpoints = new Map<string, string>()
const usual = neonConfig.fetchEndpoint

function redirect(host: string, endpoint: string): void {
  endpoints.set(host, endpoint)
  neonConfig.fetchEndpoint = (host, port, options) =>
    endpoints.get(host) ?? (typeof usual === 'string' ? usual : usual(host, port, options))
}

// Longer than any statement may take: past it the database is not slow but away, and the caller is told so.
const patienceMs = 8000

export function openWire({ url, httpEndpoint, wsProxy, onRoundTrip = () => {} }: WireSettings): Wire {
  if (httpEndpoint) redirect(new URL(url).hostname, httpEndpoint)
  if (wsProxy) Object.assign(neonConfig, { wsProxy: () => wsProxy, useSecureWebSocket: false })
  const http = neon(url, { fullResults: true })
  const result = ({ rows, rowCount }: { rows: unknown[]; rowCount: number }): Rows => ({ rows, rowCount })
  return {
    async run(statements, { readOnly }) {
      onRoundTrip()
      const [only] = statements
      const fetchOptions = { signal: AbortSignal.timeout(patienceMs) }
      if (only && statements.length === 1) return [result(await http.query(only.sql, [...only.parameters], { fetchOptions, types }))]
      // Each query names the parsers itself: over HTTP the driver looks nowhere else.
      const queries = statements.map(({ sql, parameters }) => http.query(sql, [...parameters], { types }))
      return (await http.transaction(queries, { readOnly, isolationLevel: 'ReadCommitted', fetchOptions })).map(result)
    },
    async begin(first) {
      const client = new Client({ connectionString: url, types, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs })
      // A connection that breaks later fails the query in flight; without a listener it would end the isolate.
      client.on('error', () => {})
      await client.connect()
      onRoundTrip()
      await client.query(first).catch(async (error: unknown) => {
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
