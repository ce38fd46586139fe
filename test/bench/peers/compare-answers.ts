import { setTimeout as pause } from 'node:timers/promises'
import { withSuperuser } from '#local/postgres.ts'
import type { LoadRequest } from '#test/bench/load.ts'
import type { BenchDatabase } from '#test/bench/seed.ts'
import type { PeerOperation } from './operations.ts'
import type { MeasuredProcess } from './processes.ts'

/** An answer, and how many rows of each table the request has inserted. */
interface Answer {
  service: string
  status: number
  type: string
  body: unknown
  inserted: Record<string, number>
}

// A live event is left out, because the service deletes its row when it has published it.
const writtenTables = [
  'sign_ins',
  'refresh_tokens',
  'sessions',
  'session_decisions',
  'ai_handoffs',
  'events',
  'notifications',
  'deliveries',
]

const countedRequests = 4

/** A service, and how many round trips to PostgreSQL it has made so far. */
export interface CountedProcess extends MeasuredProcess {
  countRoundTrips(): Promise<number>
}

/**
 * Throw unless all services answer each operation in the same way and insert the same rows. Ids, times and
 * tokens may differ. Return the round trips per request by service and operation, such as `Worker log in`.
 */
export async function compareAnswers(
  database: BenchDatabase,
  processes: readonly CountedProcess[],
  operations: readonly PeerOperation[],
): Promise<Map<string, number>> {
  const roundTrips = new Map<string, number>()
  for (const operation of operations) {
    await operation.reset?.()
    const request = operation.next()
    const answers: Answer[] = []
    for (const process of processes.filter(({ operations: own }) => own?.includes(operation.name) ?? true)) {
      await operation.reset?.()
      answers.push(await readAnswer(database, process, request))
      await operation.reset?.()
      roundTrips.set(`${process.name} ${operation.name}`, await countPerRequest(process, operation))
    }
    requireEqual(operation.name, answers)
  }
  return roundTrips
}

function requireEqual(operation: string, [first, ...others]: Answer[]): void {
  if (!first || first.status >= 300) throw new Error(`${operation} answers ${JSON.stringify(first)}`)
  for (const other of others) {
    const difference = findDifference(toComparable(first), toComparable(other), operation)
    if (difference) throw new Error(`${first.service} and ${other.service} differ: ${difference}`)
  }
}

async function countPerRequest(process: CountedProcess, { next }: PeerOperation): Promise<number> {
  // The first one prepares the statements. What a service does after its answer is counted too.
  for (let n = 0; n < countedRequests; n++) await send(process, next())
  await pause(200)
  const before = await process.countRoundTrips()
  for (let n = 0; n < countedRequests; n++) await send(process, next())
  await pause(200)
  return ((await process.countRoundTrips()) - before) / countedRequests
}

async function readAnswer(
  database: BenchDatabase,
  process: MeasuredProcess,
  request: LoadRequest,
): Promise<Answer> {
  const before = await countRows(database)
  const response = await send(process, request)
  const after = await countRows(database)
  const inserted = Object.fromEntries(
    writtenTables.map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)]),
  )
  return { service: process.name, ...response, inserted }
}

async function send(
  { port }: MeasuredProcess,
  { method, path, token, address, body }: LoadRequest,
): Promise<Pick<Answer, 'status' | 'type' | 'body'>> {
  const headers = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(address ? { 'cf-connecting-ip': address } : {}),
  }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: body ?? null })
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  return {
    status: response.status,
    type,
    body: await (type.includes('json') ? response.json() : response.text()),
  }
}

async function countRows({ postgresPort, database }: BenchDatabase): Promise<Record<string, number>> {
  const counts = writtenTables.map((table) => `(select count(*)::int from ${table}) as ${table}`)
  return withSuperuser(
    postgresPort,
    database,
    async (client) => (await client.query(`select ${counts.join(', ')}`)).rows[0],
  )
}

const toComparable = ({ service: _, ...answer }: Answer) => answer

/** Return where two values differ and how, or null. */
function findDifference(a: unknown, b: unknown, path: string): string | null {
  if (a === b || (typeof a === 'string' && typeof b === 'string' && maskVarying(a) === maskVarying(b)))
    return null
  if (
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  )
    return `${path} is ${JSON.stringify(a)} and ${JSON.stringify(b)}`
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const key of keys) {
    const difference = findDifference(a[key as keyof typeof a], b[key as keyof typeof b], `${path}.${key}`)
    if (difference) return difference
  }
  return null
}

/** Replace what differs from request to request: ids, times and tokens. */
function maskVarying(text: string): string {
  return text
    .replace(/[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/^[\w-]{43}$|^[\w-]+\.[\w-]+\.[\w-]{43}$/, '<token>')
}
