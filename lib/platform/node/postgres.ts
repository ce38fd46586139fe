import pg from 'pg'
import { limitPerKey } from '#async/limit-per-key.ts'
import type { Database, QueryRows, Statement, TransactionConnection } from '#db/database.ts'
import { failWhenHung, hungError, probeTimeoutMs } from '#db/hung.ts'
import { getSqlState, isStaleStatement, readOnlyState } from '#db/sqlstate.ts'
import { openPool } from './pool.ts'
import { type PreparedStatements, sendBatch } from './statement-batch.ts'

export interface PostgresSettings {
  url: string
  /** How many connections may be open. */
  maxConnections: number
  onRoundTrip?: (() => void) | undefined
}

export interface PostgresDatabase extends Database {
  /** Wait for the open queries, and close every connection. */
  close(): Promise<void>
}

const connectTimeoutMs = 3000
/** A burst of an account waits for its own connections; a request that has waited this long answers 503. */
const accountQueue = { waiting: 200, maxWaitMs: 10_000 }
const setReadOnly: Statement = {
  sql: "select set_config('transaction_read_only', 'on', true)",
  parameters: [],
}

/**
 * Open a database over TCP: a pool of connections with prepared statements. A batch takes one round trip. An
 * account has at most a third of the connections; what it asks for beyond waits outside of the pool, so that
 * 60 writes which wait for one row do not stop other accounts.
 */
export function openPostgres({
  url,
  maxConnections,
  onRoundTrip = () => {},
}: PostgresSettings): PostgresDatabase {
  const pool = createPool(url, maxConnections)
  const takePlace = limitPerKey({ running: Math.max(1, Math.floor(maxConnections / 3)), ...accountQueue })
  const lease = () => leaseClient(pool)
  const tools = { send: createSender(), probe: () => probeDatabase(url), onRoundTrip }
  return {
    ...createDatabase(lease, tools),
    forAccount: (accountId) => createDatabase(() => leaseInTurn(lease, () => takePlace(accountId)), tools),
    close: () => pool.end(),
  }
}

interface DatabaseTools {
  send: Sender
  probe: () => Promise<unknown>
  onRoundTrip: () => void
}

function createDatabase(lease: LeaseClient, { send, probe, onRoundTrip }: DatabaseTools): Database {
  const run = async (statements: readonly Statement[], readOnly: boolean): Promise<QueryRows[]> => {
    const { client, release } = await lease()
    try {
      const work = send(client, readOnly ? [setReadOnly, ...statements] : statements)
      const results = await waitForAnswer(work, probe, release)
      return readOnly ? results.slice(1) : results
    } catch (error) {
      if (!readOnly && remembersReadOnly(error)) release(true)
      throw error
    } finally {
      release(!isUsable(client))
    }
  }
  return {
    async run(statements, { readOnly }) {
      onRoundTrip()
      return run(statements, readOnly).catch((error: unknown) => {
        // Nothing has run.
        if (!isStaleStatement(error)) throw error
        send.forgetStatements()
        return run(statements, readOnly)
      })
    },
    begin: (beginSql) => openTransaction(lease, beginSql, { send, probe, onRoundTrip }),
  }
}

function createPool(url: string, maxConnections: number): pg.Pool {
  return openPool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  })
}

interface Lease {
  client: pg.PoolClient
  isReleased(): boolean
  /** Return the connection to the pool, or close it. Only the first call counts. */
  release(destroy: boolean): void
}

type LeaseClient = () => Promise<Lease>

/** Take a place, then a connection. Both are given back together. */
async function leaseInTurn(lease: LeaseClient, takePlace: () => Promise<() => void>): Promise<Lease> {
  const leave = await takePlace()
  const { client, isReleased, release } = await lease().catch((error: unknown) => {
    leave()
    throw error
  })
  return {
    client,
    isReleased,
    release(destroy) {
      release(destroy)
      leave()
    },
  }
}

/** Take a connection of the pool. */
async function leaseClient(pool: pg.Pool): Promise<Lease> {
  const client = await pool.connect().catch(throwConnectionError)
  let isReleased = false
  return {
    client,
    isReleased: () => isReleased,
    release(destroy) {
      if (!isReleased) client.release(destroy)
      isReleased = true
    },
  }
}

/** Wait for work on a connection, and close the connection if the database hangs. */
function waitForAnswer<T>(
  work: Promise<T>,
  probe: () => Promise<unknown>,
  release: Lease['release'],
): Promise<T> {
  return failWhenHung(work, probe, () => release(true)).catch(throwConnectionError)
}

/** Turn a system error, such as ECONNREFUSED or ECONNRESET, into an error that names the connection. */
function throwConnectionError(error: unknown): never {
  // Several addresses of one host that all refuse make an AggregateError.
  const isSystemError = error instanceof Error && ('syscall' in error || error instanceof AggregateError)
  throw isSystemError ? new Error('Connection terminated', { cause: error }) : error
}

interface Sender {
  /** Send statements on a connection, in one round trip. */
  (client: pg.PoolClient, statements: readonly Statement[]): Promise<QueryRows[]>
  /** Prepare every statement again under a new name. */
  forgetStatements(): void
}

function createSender(): Sender {
  let generation = 0
  const preparedByClient = new WeakMap<pg.PoolClient, { generation: number; prepared: PreparedStatements }>()
  const send = (client: pg.PoolClient, statements: readonly Statement[]) => {
    let state = preparedByClient.get(client)
    if (state?.generation !== generation) {
      state = { generation, prepared: { bySql: new Map(), count: 0 } }
      preparedByClient.set(client, state)
    }
    return sendBatch(client, statements, state.prepared, `s${generation}_`)
  }
  const forgetStatements = () => {
    generation++
  }
  return Object.assign(send, { forgetStatements })
}

/**
 * Return whether the server took no write. A connection keeps that: it leads to a former primary, or has the
 * setting that the database had when it was opened.
 */
const remembersReadOnly = (error: unknown): boolean => getSqlState(error) === readOnlyState

/** Return whether a connection is outside a transaction, so that the next request may use it. */
function isUsable(client: pg.PoolClient): boolean {
  const status = client.getTransactionStatus()
  return status === 'I' || status === null
}

/** Run a statement on a connection of its own, because every connection of the pool may be busy. */
async function probeDatabase(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    void client.end().catch(() => {})
  }
}

async function openTransaction(
  lease: LeaseClient,
  beginSql: string,
  { send, probe, onRoundTrip }: DatabaseTools,
): Promise<TransactionConnection> {
  onRoundTrip()
  const { client, isReleased, release } = await lease()
  const watch = <T>(work: Promise<T>) => waitForAnswer(work, probe, release)
  await watch(client.query(beginSql)).catch((error: unknown) => {
    release(true)
    throw error
  })
  return {
    async query(statement) {
      if (isReleased()) throw hungError()
      onRoundTrip()
      const [result] = await watch(send(client, [statement])).catch((error: unknown) => {
        if (remembersReadOnly(error)) release(true)
        // The transaction is lost. Without this, each later one on the connection would be too.
        if (isStaleStatement(error)) send.forgetStatements()
        throw error
      })
      return result ?? { rows: [], rowCount: 0 }
    },
    // PostgreSQL rolls back when the connection of an open transaction closes.
    end: async () => release(!isUsable(client)),
  }
}
