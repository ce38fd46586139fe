import { Client, type NeonQueryFunction, neon, neonConfig, types as neonTypes } from '@neondatabase/serverless'

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

// Longer than the statement timeout of the roles.
const timeoutMs = 8000
// A statement that has no answer after this time is slow, or the database hangs. A probe of its own tells which of the two it is.
const probeAfterMs = 1500
const probeTimeoutMs = 1250

const hungError = () => new DOMException('The database does not answer, or the connection is lost', 'TimeoutError')

export function openDatabase({ url, httpEndpoint, wsProxy, onRoundTrip = () => {} }: DatabaseSettings): Database {
  if (httpEndpoint) setHttpEndpoint(new URL(url).hostname, httpEndpoint)
  if (wsProxy) Object.assign(neonConfig, { wsProxy: () => wsProxy, useSecureWebSocket: false })
  const http = neon(url, { fullResults: true })
  const probe = () => http.query('select 1', [], { fetchOptions: { signal: AbortSignal.timeout(probeTimeoutMs) } })
  return {
    async run(statements, { readOnly }) {
      onRoundTrip()
      const abort = new AbortController()
      const work = sendStatements(http, statements, { readOnly, isolationLevel: 'ReadCommitted', fetchOptions: { signal: abort.signal } })
      return failWhenHung(work, probe, () => abort.abort(hungError()))
    },
    begin: (beginSql) => openTransaction(url, beginSql, { probe, onRoundTrip }),
  }
}

type HttpClient = NeonQueryFunction<false, true>
type HttpOptions = { readOnly: boolean; isolationLevel: 'ReadCommitted'; fetchOptions: { signal: AbortSignal } }

async function sendStatements(http: HttpClient, statements: readonly Statement[], options: HttpOptions): Promise<QueryRows[]> {
  const { fetchOptions } = options
  const [single] = statements
  if (single && statements.length === 1) return [toRows(await http.query(single.sql, [...single.parameters], { fetchOptions, types }))]
  // Over HTTP the driver reads the parsers from each query only.
  const queries = statements.map(({ sql, parameters }) => http.query(sql, [...parameters], { types }))
  return (await http.transaction(queries, options)).map(toRows)
}

async function openTransaction(
  url: string,
  beginSql: string,
  { probe, onRoundTrip }: { probe: () => Promise<unknown>; onRoundTrip: () => void },
): Promise<TransactionConnection> {
  const client = new Client({ connectionString: url, types, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
  let isLost = false
  const markLost = () => {
    isLost = true
  }
  // A connection that breaks fails the query in flight. An `error` event without a listener would also crash the isolate.
  client.on('error', markLost)
  const end = async () => {
    const ended = client.end()
    // The server does not answer on a lost connection, so nothing waits for its end.
    if (isLost) ended.catch(() => {})
    else await ended
  }
  const connect = async () => {
    await client.connect()
    onRoundTrip()
    await client.query(beginSql)
  }
  await failWhenHung(connect(), probe, markLost).catch(async (error: unknown) => {
    await end()
    throw error
  })
  return {
    async query({ sql, parameters }) {
      // Otherwise the rollback after a query that hung would hang as well.
      if (isLost) throw hungError()
      onRoundTrip()
      const { rows, rowCount } = await failWhenHung(client.query(sql, [...parameters]), probe, markLost)
      return { rows, rowCount: rowCount ?? 0 }
    },
    end,
  }
}

function toRows({ rows, rowCount }: { rows: unknown[]; rowCount: number }): QueryRows {
  return { rows, rowCount }
}

/**
 * Return the result of `work`. If it takes long, run `probe`; if that fails too, or `work` takes longer than any statement may, call `onHung`
 * and throw a TimeoutError. A slow statement thus keeps its whole statement timeout, and a hung database is noticed within 3 s.
 */
async function failWhenHung<T>(work: Promise<T>, probe: () => Promise<unknown>, onHung: () => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDone = false
  const hung = new Promise<never>((_, reject) => {
    const giveUp = () => {
      if (isDone) return
      reject(hungError())
      onHung()
    }
    const waitLonger = () => {
      if (!isDone) timer = setTimeout(giveUp, timeoutMs - probeAfterMs)
    }
    timer = setTimeout(() => void probe().then(waitLonger, giveUp), probeAfterMs)
  })
  return Promise.race([work, hung]).finally(() => {
    isDone = true
    clearTimeout(timer)
  })
}
