import {
  Client,
  type NeonQueryFunction,
  neon,
  neonConfig,
  types as neonTypes,
} from '@neondatabase/serverless'
import {
  type Database,
  type QueryRows,
  type Statement,
  type TransactionConnection,
  typeParsers,
} from '#db/database.ts'
import { databaseTimeoutMs, failWhenHung, hungError, probeTimeoutMs } from '#db/hung.ts'

export interface NeonSettings {
  url: string
  /** Addresses of SQL over HTTP and of the WebSocket tunnel; Neon's own by default. */
  httpEndpoint?: string | undefined
  wsProxy?: string | undefined
  onRoundTrip?: (() => void) | undefined
}

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    typeParsers[oid] ?? neonTypes.getTypeParser(oid, format as 'text'),
}

// The driver's settings are global, so the endpoint of each host is stored here.
const endpoints = new Map<string, string>()
const defaultEndpoint = neonConfig.fetchEndpoint

function setHttpEndpoint(host: string, endpoint: string): void {
  endpoints.set(host, endpoint)
  neonConfig.fetchEndpoint = (host, port, options) =>
    endpoints.get(host) ??
    (typeof defaultEndpoint === 'string' ? defaultEndpoint : defaultEndpoint(host, port, options))
}

/** Open a database on Neon: single statements and batches over HTTP, transactions over a WebSocket. */
export function openNeon({ url, httpEndpoint, wsProxy, onRoundTrip = () => {} }: NeonSettings): Database {
  if (httpEndpoint) setHttpEndpoint(new URL(url).hostname, httpEndpoint)
  if (wsProxy) Object.assign(neonConfig, { wsProxy: () => wsProxy, useSecureWebSocket: false })
  const http = neon(url, { fullResults: true })
  const probe = () =>
    http.query('select 1', [], { fetchOptions: { signal: AbortSignal.timeout(probeTimeoutMs) } })
  return {
    async run(statements, { readOnly }) {
      onRoundTrip()
      const abort = new AbortController()
      const work = sendStatements(http, statements, {
        readOnly,
        isolationLevel: 'ReadCommitted',
        fetchOptions: { signal: abort.signal },
      })
      return failWhenHung(work, probe, () => abort.abort(hungError()))
    },
    begin: (beginSql) => openTransaction(url, beginSql, { probe, onRoundTrip }),
  }
}

type HttpClient = NeonQueryFunction<false, true>
type HttpOptions = {
  readOnly: boolean
  isolationLevel: 'ReadCommitted'
  fetchOptions: { signal: AbortSignal }
}

async function sendStatements(
  http: HttpClient,
  statements: readonly Statement[],
  options: HttpOptions,
): Promise<QueryRows[]> {
  const { fetchOptions } = options
  const [single] = statements
  if (single && statements.length === 1)
    return [toRows(await http.query(single.sql, [...single.parameters], { fetchOptions, types }))]
  // Over HTTP the driver reads the parsers from each query only.
  const queries = statements.map(({ sql, parameters }) => http.query(sql, [...parameters], { types }))
  return (await http.transaction(queries, options)).map(toRows)
}

async function openTransaction(
  url: string,
  beginSql: string,
  { probe, onRoundTrip }: { probe: () => Promise<unknown>; onRoundTrip: () => void },
): Promise<TransactionConnection> {
  const client = new Client({
    connectionString: url,
    types,
    connectionTimeoutMillis: databaseTimeoutMs,
    query_timeout: databaseTimeoutMs,
  })
  let isLost = false
  const markLost = () => {
    isLost = true
  }
  // A connection that breaks fails the query in flight. An `error` event without a listener would also crash
  // the isolate.
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
