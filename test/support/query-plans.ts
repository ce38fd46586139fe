import type pg from 'pg'
import { inject } from 'vitest'
import type { Database, Statement } from '#db/database.ts'
import { withSuperuser } from '#local/postgres.ts'
import type { Service } from './app.ts'

/** A node of an executed plan, as `explain (analyze, format json)` prints it. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

const explainSettings = `
  load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
  set auto_explain.log_timing = off; set auto_explain.log_format = json; set auto_explain.log_level = notice;`

export interface ExplainedStatements {
  /** The nodes of all plans, including those of statements inside functions. */
  nodes: PlanNode[]
  /** The statements of each round trip. */
  batches: Statement[][]
}

/**
 * Run `work` with a database connection of the role, and return the plans of all its statements. With
 * `pooled`, statements are prepared and use generic plans, as behind a connection pooler. `clearRecorded`
 * discards the plans and statements recorded so far.
 */
export async function explainStatements<T>(
  service: Service,
  pooled: boolean,
  work: (connection: Database, clearRecorded: () => void) => Promise<T>,
  role: 'app_runtime' | 'app_platform' = 'app_runtime',
): Promise<ExplainedStatements & { result: T }> {
  const database = new URL(service.settings.DATABASE_URL ?? '').pathname.slice(1)
  return withSuperuser(inject('shared').postgresPort, database, async (client) => {
    await client.query(`${explainSettings} set session authorization ${role}`)
    await client.query(`set plan_cache_mode = ${pooled ? 'force_generic_plan' : 'auto'}`)
    const explained: ExplainedStatements = { nodes: [], batches: [] }
    client.on('notice', ({ message = '' }) =>
      explained.nodes.push(...flattenPlan(JSON.parse(message.slice(message.indexOf('\n'))).Plan)),
    )
    const result = await work(createRecordingConnection(client, explained.batches, pooled), () => {
      explained.nodes.length = 0
      explained.batches.length = 0
    })
    return { ...explained, result }
  })
}

function createRecordingConnection(client: pg.Client, batches: Statement[][], pooled: boolean): Database {
  const names = new Map<string, string>()
  const preparedName = (sql: string) => {
    const name = names.get(sql) ?? `s${names.size}`
    names.set(sql, name)
    return name
  }
  const run: Database['run'] = async (statements) => {
    batches.push([...statements])
    await client.query('begin read only')
    const results = []
    for (const { sql, parameters } of statements)
      results.push(
        await client.query({
          ...(pooled ? { name: preparedName(sql) } : {}),
          text: sql,
          values: [...parameters],
        }),
      )
    await client.query('commit')
    return results.map(({ rows, rowCount }) => ({ rows, rowCount: rowCount ?? 0 }))
  }
  // There is one connection, so concurrent calls run one after the other.
  let previous: Promise<unknown> = Promise.resolve()
  return {
    run: (...args) => {
      const result = previous.then(() => run(...args))
      previous = result.catch(() => {})
      return result
    },
    begin: () => Promise.reject(new Error('This connection is read only and has no transactions')),
  }
}

function flattenPlan(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flattenPlan)]
}

/** Return how many rows a scan read, including those its filters removed. */
export function rowsRead(scan: PlanNode): number {
  const rowsPerLoop =
    scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0) + (scan['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(rowsPerLoop * scan['Actual Loops'])
}

export const totalRowsRead = (scans: readonly PlanNode[]): number =>
  scans.reduce((sum, scan) => sum + rowsRead(scan), 0)
