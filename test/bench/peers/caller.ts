import type { FastifyReply, FastifyRequest } from 'fastify'
import { jwtVerify } from 'jose'
import pg from 'pg'

/** Who a request is from, as its access token says. */
export interface Caller {
  userId: string
  accountId: string
}

export const secret = new TextEncoder().encode(process.env.JWT_SECRET ?? '')
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, idleTimeoutMillis: 0 })
const isPrepared = process.env.PREPARED === 'true'

/**
 * Run a statement of a request, as the examples of pg do. With PREPARED=true it is prepared once per
 * connection, which few services take the trouble to do. The guarded peer's requests have a connection with a
 * transaction.
 */
export function query(
  request: FastifyRequest,
  { name, text, values }: { name: string; text: string; values: unknown[] },
): Promise<pg.QueryResult> {
  const client = request.getDecorator<pg.PoolClient | undefined>('client')
  return (client ?? pool).query(isPrepared ? { name, text, values } : { text, values })
}

/**
 * Run statements that do not depend on each other: at once, or one after the other on the connection of a
 * transaction.
 */
export async function queryAll(
  request: FastifyRequest,
  statements: readonly Parameters<typeof query>[1][],
): Promise<pg.QueryResult[]> {
  if (!request.getDecorator('client'))
    return Promise.all(statements.map((statement) => query(request, statement)))
  const results: pg.QueryResult[] = []
  for (const statement of statements) results.push(await query(request, statement))
  return results
}

// Times are ISO texts and counts are numbers, as in the answers of the service.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString())
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Check the access token and keep its caller for the request. */
export async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const token = request.headers.authorization?.slice('Bearer '.length)
  const verified = token ? await jwtVerify(token, secret, { algorithms: ['HS256'] }).catch(() => null) : null
  if (!verified) return reply.code(401).send({ detail: 'Not authenticated' })
  const { sub, acc } = verified.payload
  request.setDecorator('caller', { userId: String(sub), accountId: String(acc) } satisfies Caller)
}

export const readCaller = (request: FastifyRequest): Caller => request.getDecorator<Caller>('caller')

/** Return SQL for a time inside of a JSON value. */
export const isoTime = (column: string): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
