import type pg from 'pg'
import { inject } from 'vitest'
import type { Statement, Wire } from '../../lib/db/client.ts'
import { asSuperuser } from '../../lib/local/postgres.ts'
import type { Service } from './app.ts'

/** A node of a plan, as PostgreSQL tells it once it has run. */
export interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

const explaining = `
  load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
  set auto_explain.log_timing = off; set auto_explain.log_format = json; set auto_explain.log_level = notice;
  set session authorization app_runtime`

/** Of all that ran behind one wire. */
export interface Told {
  /** Every node of every plan. */
  nodes: Plan[]
  runs: Statement[][]
}

/**
 * How statements ran, those inside functions too, while `work` sent them over a wire as the service's role. `pooled` is how a pooler has
 * it: a plan is kept for whoever comes next. What ran before `forget` is not told.
 */
export async function toldOf<T>(
  service: Service,
  pooled: boolean,
  work: (wire: Wire, forget: () => void) => Promise<T>,
): Promise<Told & { result: T }> {
  const database = new URL(service.settings.DATABASE_URL ?? '').pathname.slice(1)
  return asSuperuser(inject('shared').postgresPort, database, async (client) => {
    await client.query(explaining)
    if (pooled) await client.query('set plan_cache_mode = force_generic_plan')
    const told: Told = { nodes: [], runs: [] }
    client.on('notice', ({ message = '' }) => told.nodes.push(...nodesOf(JSON.parse(message.slice(message.indexOf('\n'))).Plan)))
    const result = await work(tellingWire(client, told.runs, pooled), () => {
      told.nodes.length = 0
      told.runs.length = 0
    })
    return { ...told, result }
  })
}

function tellingWire(client: pg.Client, runs: Statement[][], pooled: boolean): Wire {
  const names = new Map<string, string>()
  const nameOf = (sql: string) => names.get(sql) ?? (names.set(sql, `s${names.size}`).get(sql) as string)
  const run: Wire['run'] = async (statements) => {
    runs.push([...statements])
    await client.query('begin read only')
    const results = []
    for (const { sql, parameters } of statements)
      results.push(await client.query({ ...(pooled ? { name: nameOf(sql) } : {}), text: sql, values: [...parameters] }))
    await client.query('commit')
    return results.map(({ rows, rowCount }) => ({ rows, rowCount: rowCount ?? 0 }))
  }
  // Several at once are one behind the other: there is one connection.
  let tail: Promise<unknown> = Promise.resolve()
  return {
    run: (...args) => {
      const turn = tail.then(() => run(...args))
      tail = turn.catch(() => {})
      return turn
    },
    begin: () => Promise.reject(new Error('What only reads needs no transaction')),
  }
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

/** Rows that a scan looked at. */
export function readBy(scan: Plan): number {
  const each = scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0) + (scan['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(each * scan['Actual Loops'])
}

export const readByAll = (scans: readonly Plan[]): number => scans.reduce((sum, scan) => sum + readBy(scan), 0)
