import type pg from 'pg'
import { pause } from '#db/migrate/retry.ts'
import { asSuperuser } from './migrations.ts'

export interface LoadSettings {
  /** How long a statement may wait for a lock, in milliseconds. */
  maxWaitMs: number
  /** How long each transaction of the slowest reader takes, in milliseconds. */
  readerMs: number
}

/**
 * Start to read and write all tables of a database on several connections, until `stop` is called, which
 * returns the statements of others that one of them waited for longer than `maxWaitMs`.
 */
export async function startTableLoad(
  url: string,
  tables: readonly string[],
  { maxWaitMs, readerMs }: LoadSettings,
) {
  let isRunning = true
  const blockers = new Map<string, string>()
  const reading = Promise.withResolvers<void>()
  const repeat = (work: (client: pg.Client, table: string) => Promise<unknown>, pauseMs: number) =>
    asSuperuser(url, async (client) => {
      // Without triggers and foreign keys, writing back the same value changes nothing else.
      await client.query("set application_name = 'load'; set session_replication_role = replica")
      for (let round = 0; isRunning; round++) {
        // The migration may drop the table or the column.
        await work(client, tables[round % tables.length] ?? '').catch(() => {})
        await pause(pauseMs)
      }
    })
  const connections = [
    repeat((client, table) => client.query(`select * from ${table} limit 1`), 1),
    repeat(writeFirstRow, 1),
    repeat(
      (client) =>
        readAllTables(client, tables, () => {
          reading.resolve()
          return pause(readerMs)
        }),
      20,
    ),
    repeat(async (client) => {
      for (const { wait, query } of await listBlockers(client, maxWaitMs))
        blockers.set(wait, blockers.get(wait) ?? query)
    }, 10),
  ]
  await reading.promise
  return {
    async stop(): Promise<string[]> {
      isRunning = false
      await Promise.all(connections)
      return [...new Set(blockers.values())]
    },
  }
}

async function writeFirstRow(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped limit 1`,
    [table],
  )
  const [column] = rows
  await client.query(
    `update ${table} set ${column?.name} = ${column?.name} where ctid = (select ctid from ${table} limit 1)`,
  )
}

async function readAllTables(
  client: pg.Client,
  tables: readonly string[],
  waitInTransaction: () => Promise<void>,
): Promise<void> {
  await client.query(`begin; ${tables.map((table) => `select from ${table} limit 1;`).join('')}`)
  await waitInTransaction()
  await client.query('commit')
}

/**
 * List the waits that are longer than `maxWaitMs`, each with the statement that it waits for. A migration is
 * shown by its first line.
 */
// https://www.postgresql.org/docs/18/view-pg-locks.html
async function listBlockers(
  client: pg.Client,
  maxWaitMs: number,
): Promise<{ wait: string; query: string }[]> {
  const { rows } = await client.query<{ wait: string; query: string }>(
    `select l.pid || ' ' || l.waitstart as wait, ltrim(split_part(blocking.query, E'\\n', 1), '- ') as query
       from pg_locks l join pg_stat_activity waiting on waiting.pid = l.pid
       join pg_stat_activity blocking on blocking.pid = any (pg_blocking_pids(l.pid))
      where not l.granted and l.waitstart < clock_timestamp() - $1 * interval '1 millisecond'
        and waiting.datname = current_database() and waiting.application_name = 'load' and blocking.application_name <> 'load'`,
    [maxWaitMs],
  )
  return rows
}
