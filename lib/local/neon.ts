import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'
import { send, textOf } from './node-http.ts'

interface Statement {
  query: string
  params?: unknown[]
}

// Neon answers every value as the text PostgreSQL wrote; the client parses.
const rawText = { getTypeParser: () => (text: unknown) => text }

/**
 * Neon's SQL over HTTP (`POST /sql`, one statement or a batch in one transaction) and its WebSocket tunnel, in front of the PostgreSQL at
 * `postgresPort`, whatever host the connection string names. Source: @neondatabase/serverless 1.2.
 */
export function createNeon(postgresPort: () => number) {
  const pools = new Map<string, pg.Pool>()
  const names = new Map<string, string>()
  const tunnel = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  const poolFor = (connectionString: string): pg.Pool => {
    let pool = pools.get(connectionString)
    if (!pool) {
      const url = new URL(connectionString)
      url.host = `127.0.0.1:${postgresPort()}`
      pool = new pg.Pool({ connectionString: url.href, max: 12, connectionTimeoutMillis: 3000, pipeline: true })
      pool.on('error', () => {})
      // A connection that breaks while a request has it fails the request; without a listener it would end the process.
      pool.on('connect', (client) => client.on('error', () => {}))
      pools.set(connectionString, pool)
    }
    return pool
  }
  const run = async (client: pg.ClientBase, { query, params = [] }: Statement) => {
    // A pooler that keeps its connections prepares what it sees again and again.
    const name = names.get(query) ?? (names.size < 2000 ? `s${names.size}` : undefined)
    if (name) names.set(query, name)
    const config = { text: query, values: params, rowMode: 'array' as const, types: rawText }
    const result = await client.query<unknown[]>(name ? { ...config, name } : config)
    const { command, rowCount, fields, rows } = result
    return { command, rowCount, fields, rows, rowAsArray: true }
  }
  /** All of it is sent at once: what stands behind a statement that fails fails too, and the commit rolls back. */
  const batch = async (client: pg.PoolClient, statements: Statement[], headers: IncomingMessage['headers']) => {
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
    stream.cork()
    const begun = client.query(`begin ${isolation(headers)}`)
    const all = Promise.allSettled([begun, ...statements.map((statement) => run(client, statement)), client.query('commit')])
    stream.uncork()
    const [, ...answers] = await all
    const failed = answers.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    if (failed) throw failed.reason
    return { results: answers.slice(0, -1).map((answer) => (answer as PromiseFulfilledResult<object>).value) }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connectionString = String(request.headers['neon-connection-string'] ?? '')
    let client: pg.PoolClient | undefined
    let broken = false
    try {
      const body = JSON.parse(await textOf(request)) as Statement | { queries: Statement[] }
      client = await poolFor(connectionString).connect()
      send(response, 200, 'queries' in body ? await batch(client, body.queries, request.headers) : await run(client, body))
    } catch (error) {
      broken = !(error instanceof pg.DatabaseError)
      // Neon says 400 for what PostgreSQL refused and something else for what never reached it.
      send(
        response,
        broken ? 503 : 400,
        error instanceof pg.DatabaseError ? failure(error) : { message: 'The endpoint could not be reached' },
      )
    } finally {
      client?.release(broken)
    }
  }

  return {
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.url !== '/sql' || request.method !== 'POST') return false
      void answer(request, response)
      return true
    },
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      tunnel.handleUpgrade(request, socket, head, (socket) => pipe(socket, postgresPort()))
    },
    async close(): Promise<void> {
      for (const socket of tunnel.clients) socket.terminate()
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }
}

function isolation(headers: IncomingMessage['headers']): string {
  const level = {
    ReadUncommitted: 'read uncommitted',
    ReadCommitted: 'read committed',
    RepeatableRead: 'repeatable read',
    Serializable: 'serializable',
  }
  const asked = level[String(headers['neon-batch-isolation-level'] ?? '') as keyof typeof level]
  return [
    asked ? `isolation level ${asked}` : '',
    headers['neon-batch-read-only'] === 'true' ? 'read only' : '',
    headers['neon-batch-deferrable'] === 'true' ? 'deferrable' : '',
  ].join(' ')
}

function failure(error: pg.DatabaseError) {
  const { message, severity, code, detail, hint, position, internalPosition, internalQuery, where, schema, table, column } = error
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

function pipe(socket: WebSocket, port: number): void {
  const upstream = connect(port, '127.0.0.1')
  upstream.setNoDelay(true)
  socket.on('message', (data: Buffer) => upstream.write(data))
  socket.on('close', () => upstream.destroy())
  socket.on('error', () => upstream.destroy())
  upstream.on('data', (chunk) => socket.send(chunk))
  upstream.on('close', () => socket.close())
  upstream.on('error', () => socket.close())
}
