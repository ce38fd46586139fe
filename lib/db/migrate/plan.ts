import type pg from 'pg'
import { inTransaction, selectApplied } from './apply.ts'
import { type MigrationFile, readMigrationFiles, requireStatementsOfMode } from './files.ts'
import { selectPending } from './history.ts'
import { type LockMode, listStrongLocks } from './locks.ts'
import { splitStatements, summarizeStatement } from './statements.ts'

const modes = {
  transaction: 'in one transaction',
  'no-transaction': 'without a transaction',
  backfill: 'in batches',
}

/**
 * List what a migration would do, one line per file and one per statement that blocks reads or writes of an
 * existing table. Everything is read in a read-only transaction. Throw for what a migration would refuse.
 */
export async function planMigrations(client: pg.Client, folder: string): Promise<string[]> {
  const files = await readMigrationFiles(folder)
  return inTransaction(client, async () => {
    await client.query('set transaction read only')
    const { rows } = await client.query<{ exists: boolean }>(
      "select to_regclass('public.migrations') is not null as exists",
    )
    const pending = selectPending(rows[0]?.exists ? await selectApplied(client) : new Map(), files)
    const lines: string[] = []
    for (const file of pending) lines.push(...(await planFile(client, file)))
    return lines
  })
}

async function planFile(client: pg.Client, file: MigrationFile): Promise<string[]> {
  requireStatementsOfMode(file)
  const lines = [`${file.name}: ${modes[file.mode]}`]
  for (const statement of splitStatements(file.text)) {
    for (const { relation, mode, note } of listStrongLocks(statement)) {
      const table = relation && (await selectTable(client, relation))
      if (table === null) continue
      const scope =
        mode === 'ROWS' ? (file.mode === 'backfill' ? ' until the batch ends' : ' until the file ends') : ''
      lines.push(
        `  ${describeLock(mode, table)}${scope}${note ? `, ${note}` : ''}: ${summarizeStatement(statement)}`,
      )
    }
  }
  return lines
}

function describeLock(mode: LockMode, table: string): string {
  if (mode === 'UNKNOWN') return 'locks are not known'
  return mode === 'ROWS' ? `locks rows of ${table}` : `locks ${table} in ${mode} mode`
}

/** Return the table of this name, or the table of the index of this name. Null if it does not exist yet. */
async function selectTable(client: pg.Client, relation: string): Promise<string | null> {
  const { rows } = await client.query<{ name: string | null }>(
    `select coalesce(i.indrelid, r.oid)::regclass::text as name
       from (select to_regclass($1)::oid as oid) r left join pg_index i on i.indexrelid = r.oid`,
    [relation],
  )
  return rows[0]?.name ?? null
}
