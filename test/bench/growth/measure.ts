import type pg from 'pg'
import { median } from '#test/support/measure.ts'
import type { GrowthOperation } from './operations.ts'
import type { GrowthAccount } from './rows.ts'

/** What a request of an operation costs. */
export interface Cost {
  /**
   * Pages of 8 KiB that PostgreSQL looked at, in its memory or on the disk, for the cheapest of the requests:
   * jobs of the requests before may still run. Other work on the machine does not change it.
   */
  blocks: number
  /** The median. */
  ms: number
}

export type Send = (path: string, init: RequestInit) => Promise<Response>

/** Requests before the measurement, which fill caches and prepare statements, and those that are measured. */
export interface Rounds {
  warmUps: number
  measured: number
}

/** The requests that an account has had, by operation, so that each write takes its own row. */
const usedOf = new WeakMap<GrowthAccount, Map<string, number>>()

/**
 * Measure an operation in an account. PostgreSQL must have loaded `pg_stat_statements`, and nobody else may
 * use the database.
 */
export async function measureCost(
  client: pg.ClientBase,
  send: Send,
  operation: GrowthOperation,
  account: GrowthAccount,
  { warmUps, measured }: Rounds,
): Promise<Cost> {
  const used = usedOf.get(account) ?? new Map<string, number>()
  usedOf.set(account, used)
  const costs: Cost[] = []
  for (let round = 0; round < warmUps + measured; round++) {
    const n = used.get(operation.name) ?? 0
    used.set(operation.name, n + 1)
    const cost = await measureRequest(client, send, operation, account, n)
    if (round >= warmUps) costs.push(cost)
  }
  return { blocks: Math.min(...costs.map(({ blocks }) => blocks)), ms: median(costs.map(({ ms }) => ms)) }
}

async function measureRequest(
  client: pg.ClientBase,
  send: Send,
  operation: GrowthOperation,
  account: GrowthAccount,
  n: number,
): Promise<Cost> {
  const { method, path, body, person } = operation.request(account, n)
  const headers = {
    authorization: `Bearer ${account.tokens[person - 1]}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
  }
  await client.query('select pg_stat_statements_reset()')
  const sentAt = performance.now()
  const response = await send(`/api/v1${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = await response.text()
  const ms = performance.now() - sentAt
  if (!response.ok)
    throw new Error(
      `${operation.name}: ${method} ${path} received status ${response.status}: ${answer.slice(0, 300)}`,
    )
  const { rows } = await client.query<{ blocks: number }>(
    `select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database()) and userid <> current_user::regrole`,
  )
  return { blocks: rows[0]?.blocks ?? 0, ms }
}
