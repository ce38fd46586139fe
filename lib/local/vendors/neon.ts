import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'
import { openPool } from '#platform/node/pool.ts'
import { readText, sendJson } from './node-http.ts'

interface Statement {
  query: string
  params?: unknown[]
}

const maxPreparedStatements = 2000
// Maximum size of a request and of a response over HTTP: https://neon.com/docs/serverless/serverless-driver
const maxBytes = 64 * 1024 * 1024
// Neon returns every value as PostgreSQL's text. The client parses it.
const rawText = { getTypeParser: () => (text: unknown) => text }

/**
 * Create Neon's HTTP endpoint (`POST /sql`: one statement, or a batch in one transaction) and its WebSocket
 * tunnel. Both connect to the PostgreSQL at `postgresPort`; the host of the connection string is ignored.
 * Source: @neondatabase/serverless 1.2.
 */
export function createNeon(postgresPort: () => number) {
  const pools = new Map<string, pg.Pool>()
  const preparedNames = new Map<string, string>()
  const tunnel = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  const getPool = (connectionString: string): pg.Pool => {
    let pool = pools.get(connectionString)
    if (!pool) {
      const url = new URL(connectionString)
      url.host = `127.0.0.1:${postgresPort()}`
      pool = openPool({
        connectionString: url.href,
        max: 24,
        connectionTimeoutMillis: 3000,
        idleTimeoutMillis: 60_000,
        pipeline: true,
      })
      pools.set(connectionString, pool)
    }
    return pool
  }
  const runStatement = async (client: pg.ClientBase, { query, params = [] }: Statement) => {
    // Repeated statements are prepared, which makes them faster. The limit bounds the memory.
    const name =
      preparedNames.get(query) ??
      (preparedNames.size < maxPreparedStatements ? `s${preparedNames.size}` : undefined)
    if (name) preparedNames.set(query, name)
    const config = { text: query, values: params, rowMode: 'array' as const, types: rawText }
    const result = await client.query<unknown[]>(name ? { ...config, name } : config)
    const { command, rowCount, fields, rows } = result
    return { command, rowCount, fields, rows, rowAsArray: true }
  }
  /** Send all statements at once. If one fails, those after it fail too, and the commit rolls back. */
  const runBatch = async (
    client: pg.PoolClient,
    statements: Statement[],
    headers: IncomingMessage['headers'],
  ) => {
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
    stream.cork()
    const begin = client.query(`begin ${transactionOptions(headers)}`)
    const outcomes = Promise.allSettled([
      begin,
      ...statements.map((statement) => runStatement(client, statement)),
      client.query('commit'),
    ])
    stream.uncork()
    const [, ...results] = await outcomes
    const failure = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    if (failure) throw failure.reason
    return {
      results: results
        .slice(0, -1)
        .map((result) => (result as PromiseFulfilledResult<StatementResult>).value),
    }
  }

  async function handleSql(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connectionString = String(request.headers['neon-connection-string'] ?? '')
    let client: pg.PoolClient | undefined
    let isBroken = false
    try {
      const text = await readText(request)
      if (text.length > maxBytes)
        return sendJson(response, 413, { message: `request is too large (max is ${maxBytes} bytes)` })
      const body = JSON.parse(text) as Statement | { queries: Statement[] }
      client = await getPool(connectionString).connect()
      const result =
        'queries' in body
          ? await runBatch(client, body.queries, request.headers)
          : await runStatement(client, body)
      if (measureRows(result) > maxBytes)
        return sendJson(response, 507, { message: `response is too large (max is ${maxBytes} bytes)` })
      sendJson(response, 200, result)
    } catch (error) {
      isBroken = !(error instanceof pg.DatabaseError)
      // Neon returns 400 for what PostgreSQL refused, and another status for what never reached it.
      sendJson(
        response,
        isBroken ? 503 : 400,
        error instanceof pg.DatabaseError
          ? toErrorBody(error)
          : { message: 'The endpoint could not be reached' },
      )
    } finally {
      client?.release(isBroken)
    }
  }

  return {
    /** Handle a request if it is one of Neon's. Return whether it is. */
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.url !== '/sql' || request.method !== 'POST') return false
      void handleSql(request, response)
      return true
    },
    /** Open the WebSocket tunnel. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      tunnel.handleUpgrade(request, socket, head, (webSocket) => tunnelToPostgres(webSocket, postgresPort()))
    },
    async close(): Promise<void> {
      for (const socket of tunnel.clients) socket.terminate()
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }
}

interface StatementResult {
  rows: unknown[][]
}

/** Return the length of all values of a result. */
function measureRows(result: StatementResult | { results: StatementResult[] }): number {
  const results = 'results' in result ? result.results : [result]
  return results
    .flatMap(({ rows }) => rows.flat())
    .reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
}

function transactionOptions(headers: IncomingMessage['headers']): string {
  const isolationLevels = {
    ReadUncommitted: 'read uncommitted',
    ReadCommitted: 'read committed',
    RepeatableRead: 'repeatable read',
    Serializable: 'serializable',
  }
  const level =
    isolationLevels[String(headers['neon-batch-isolation-level'] ?? '') as keyof typeof isolationLevels]
  return [
    level ? `isolation level ${level}` : '',
    headers['neon-batch-read-only'] === 'true' ? 'read only' : '',
    headers['neon-batch-deferrable'] === 'true' ? 'deferrable' : '',
  ].join(' ')
}

function toErrorBody(error: pg.DatabaseError) {
  const {
    message,
    severity,
    code,
    detail,
    hint,
    position,
    internalPosition,
    internalQuery,
    where,
    schema,
    table,
    column,
  } = error
  const { dataType, constraint, file, line, routine } = error
  return {
    message,
    severity,
    code,
    detail,
    hint,
    position,
    internalPosition,
    internalQuery,
    where,
    schema,
    table,
    column,
    dataType,
    constraint,
    file,
    line,
    routine,
  }
}

function tunnelToPostgres(socket: WebSocket, port: number): void {
  const upstream = connect(port, '127.0.0.1')
  upstream.setNoDelay(true)
  socket.on('message', (data: Buffer) => upstream.write(data))
  socket.on('close', () => upstream.destroy())
  socket.on('error', () => upstream.destroy())
  upstream.on('data', (chunk) => socket.send(chunk))
  upstream.on('close', () => socket.close())
  upstream.on('error', () => socket.close())
}
